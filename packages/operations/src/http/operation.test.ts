import { describe, expect, it } from '@jest/globals';
import { goldenEvents } from '@junction/eventsourcing/testing';
import { type OpsEvent, operationFold, opsCodec } from './operation.js';

const asked = { clientId: 'cli_operator', method: 'RedriveDeadLetters', arguments: { id: 'x' } };

goldenEvents(opsCodec, new URL('../../golden/', import.meta.url));

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

  it('that failed says why', () => {
    const events: OpsEvent[] = [
      { type: 'ops.requested', data: asked },
      { type: 'ops.failed', data: { code: 'partition_consumed' } },
    ];
    expect(stateOf(...events)).toEqual({ ...asked, status: 'failed', code: 'partition_consumed' });
  });

  it('that was refused says why, and how often', () => {
    const refused = { ...asked, code: 'scope_missing', attempts: 3 };
    expect(stateOf({ type: 'ops.refused', data: refused })).toEqual({
      ...refused,
      status: 'refused',
    });
  });
});

const stateOf = (...events: readonly OpsEvent[]) =>
  events.reduce<unknown>(operationFold.evolve, operationFold.initialState);
