import { describe, expect, it } from '@jest/globals';
import type { StoredEvent } from '@junction/eventsourcing-postgres';
import { eventView, fitting } from './event-view.js';

const MESSAGE_BYTES_MAX = 1_048_576;

describe('an event as an operator sees it', () => {
  it('shows [sealed] in the place of what is sealed', () => {
    const email = { subject: 'user-1', sealed: 'AAAA' };
    expect(eventView(stored({ email, userId: 'user-1' }))).toMatchObject({
      cursor: '7.11',
      dataJson: '{"email":"[sealed]","userId":"user-1"}',
      metadata: { actorKind: 'user', actorId: 'user-1', correlationId: '' },
    });
  });

  it('leaves out data that no message could carry, and says so', () => {
    const { dataJson, dataOmitted } = eventView(stored({ text: 'x'.repeat(950_000) }));
    expect([dataJson, dataOmitted]).toEqual(['', true]);
  });

  it('comes with as many others as fit into one message', () => {
    const events = Array.from({ length: 10 }, () =>
      eventView(stored({ text: 'ä'.repeat(100_000) })),
    );
    const fit = fitting(events);
    expect(fit.length).toBe(4);
    expect(Buffer.byteLength(JSON.stringify(fit))).toBeLessThan(MESSAGE_BYTES_MAX);
  });
});

const stored = (data: object): StoredEvent => ({
  eventId: '77615e42-8e6b-5ebc-8637-4408b92ef9f6',
  streamId: 'user-1',
  version: 1,
  position: 11n,
  tx: 7n,
  type: 'user.registered',
  schemaVersion: 1,
  data,
  metadata: { actor: { kind: 'user', id: 'user-1' } },
  recordedAt: new Date(0),
});
