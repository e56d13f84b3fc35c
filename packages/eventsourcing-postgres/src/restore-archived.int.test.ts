import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { newCounter } from '../test/counters.js';
import { countAhead, idOf, overlap, readEverything } from '../test/restored.js';
import { archivePartition, attachPartition } from './archive.js';
import { maintainEventStore } from './maintain.js';
import { migrate } from './migrate.js';
import { eventStoreMigrations } from './migrations/index.js';
import { finishRestore } from './restore.js';
import { verifyStreams } from './verify-streams.js';

const OPTIONS = {
  closing: [],
  neverLoaded: ['counter'],
  shapes: {},
  projections: { inline: [], asynchronous: [] },
};

const database = useDatabase({
  template: 'eventsourcing',
  migrate: (url) => migrate(url, eventStoreMigrations),
});

describe('what is archived when a database is restored', () => {
  it('is numbered anew with the others, and stands where it stood once it is attached', async () => {
    const { pool } = database();
    const streams = [newCounter(), newCounter()];
    for (const _ of [0, 1, 2]) {
      await overlap(pool, streams);
      await fillPartition();
    }
    const before = await readEverything(pool);
    // Not the first: there are events before these that stay.
    await archivePartition(pool, 1, OPTIONS);
    await countAhead(pool, 'events', 'archived_events.events_p1');

    await expect(attachPartition(pool, 1)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'events_ahead',
      message: expect.stringContaining('finish-restore'),
    });
    expect(await finishRestore(pool)).toBe(true);
    await attachPartition(pool, 1);
    const after = await readEverything(pool);
    expect(after.map(idOf)).toEqual(before.map(idOf));
    expect(await verifyStreams(pool)).toMatchObject({ problems: [] });
    await expect(pool.query('delete from events_p1')).rejects.toMatchObject({ code: 'JN002' });
  });
});

/** The next event comes into the partition after the one that was written last. */
async function fillPartition(): Promise<void> {
  await database().pool.query(
    `select setval(pg_get_serial_sequence('events', 'position'),
                   (max(position) / 10000000 + 1) * 10000000) from events`,
  );
  await maintainEventStore(database().pool);
}
