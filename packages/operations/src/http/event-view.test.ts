import { describe, expect, it } from '@jest/globals';
import type { StoredEvent } from '@junction/eventsourcing/postgres';
import { eventView, fitting } from './event-view.js';

describe('an event as an operator sees it', () => {
  it('shows [sealed] in the place of what is sealed', () => {
    const email = { subject: 'user-1', sealed: 'AAAA' };
    expect(eventView(stored({ email, userId: 'user-1' }))).toMatchObject({
      cursor: '7.11',
      data: { email: '[sealed]', userId: 'user-1' },
      metadata: { actor: { kind: 'user', id: 'user-1' }, correlation_id: null },
    });
  });

  it('comes with as many others as fit on one page', () => {
    const events = Array.from({ length: 10 }, () =>
      eventView(stored({ text: 'ä'.repeat(100_000) })),
    );
    expect(fitting(events)).toHaveLength(4);
    expect(fitting([eventView(stored({ text: 'x'.repeat(1_000_000) }))])).toHaveLength(1);
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
