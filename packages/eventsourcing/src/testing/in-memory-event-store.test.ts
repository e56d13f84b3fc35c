import { describe, expect, it } from '@jest/globals';
import { type Counted, countedCodec, eventStoreContract, inMemoryEventStore } from '../testing.js';

describe('the event store in memory', () => {
  const store = inMemoryEventStore<Counted>({ codec: countedCodec });
  eventStoreContract({ open: () => store, readAll: async () => store.recorded });

  it('gives events back as JSON leaves them, as a database would', async () => {
    const store = inMemoryEventStore<{ type: 'seen'; data: { at: unknown; by: unknown } }>();
    const events = [{ type: 'seen', data: { at: new Date(0), by: undefined } }] as const;
    await store.append([{ streamId: 'sight-1', expected: 'none', events }]);

    const { history } = await store.load('sight-1');
    expect(history).toStrictEqual([{ type: 'seen', data: { at: '1970-01-01T00:00:00.000Z' } }]);
  });
});
