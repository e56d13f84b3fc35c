import { describe, expect, it } from '@jest/globals';
import { type OpsEvent, operationFold, opsCodec } from './operation.js';

const asked = { clientId: 'cli_operator', method: 'RedriveDeadLetters', arguments: { id: 'x' } };

describe('an operation', () => {
  it('that only read is done at once', () => {
    expect(stateOf({ type: 'ops.read', data: asked })).toEqual({ ...asked, status: 'read' });
  });

  it('that changed something says what came of it', () => {
    const events: OpsEvent[] = [
      { type: 'ops.requested', data: asked },
      { type: 'ops.completed', data: { result: { redriven: 3 } } },
    ];
    expect(stateOf(...events)).toEqual({ ...asked, status: 'completed', result: { redriven: 3 } });
  });

  it('that was refused says why', () => {
    const events: OpsEvent[] = [
      { type: 'ops.requested', data: asked },
      { type: 'ops.failed', data: { code: 'key_parked' } },
    ];
    expect(stateOf(...events)).toEqual({ ...asked, status: 'failed', code: 'key_parked' });
  });

  it('is stored and read as it was', async () => {
    const event: OpsEvent = { type: 'ops.read', data: asked };
    const stored = await opsCodec.encode('ops-op_1', event);
    expect(await opsCodec.decode('ops-op_1', { type: event.type, ...stored })).toEqual(event);
  });
});

const stateOf = (...events: readonly OpsEvent[]) =>
  events.reduce<unknown>(operationFold.evolve, operationFold.initialState);
