import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { newNote, opened, useNotes } from '../../test/note-stage.js';
import { fillPartition, isWaitedFor, PARTITION_SIZE } from '../../test/partitions.js';
import { archivePartition, attachPartition } from '../archive.js';
import { inTransaction } from '../transaction.js';
import { requireAllEvents } from './archived-events.js';
import { listProjections } from './list-projections.js';
import { discardRebuild, rebuildProjection } from './rebuild.js';

/** A note that was only opened has ended here, so that its row outlives its stream. */
const OPENING = { closing: ['opened'], neverLoaded: [], shapes: {} };
const NONE = { inline: [], asynchronous: [] };
const OPTIONS = { ...OPENING, projections: NONE };

const notes = useNotes();
type Replica = ReturnType<typeof notes.replica>;

let archived: number[] = [];
afterEach(async () => {
  for (const n of archived) await attachPartition(notes.database().pool, n);
  archived = [];
});

describe('while events are archived', () => {
  it('a rebuild is refused, names the partitions and leaves the rows; attached, it goes on', async () => {
    const replica = notes.replica();
    await replica.write(newNote(), opened('old'));
    const n = await archiveAll(replica);
    await replica.write(newNote(), opened('young'));
    const before = await notes.rows('notes_inline');
    for (const name of ['notes_inline', 'notes_later']) {
      await expect(rebuild(replica, name)).rejects.toMatchObject({
        kind: 'conflict',
        code: 'events_archived',
        message: expect.stringMatching(new RegExp(`archived: ${n}\\..*partitions attach`)),
      });
    }
    expect(await notes.rows('notes_inline')).toEqual(before);
    await expect(discardRebuild(replica.set, 'notes_inline')).rejects.toMatchObject({
      code: 'no_rebuild',
    });

    await attachAgain(n);
    await rebuild(replica, 'notes_inline');
    expect(await notes.rows('notes_inline')).toEqual(before);
    expect(before).toHaveLength(2);
  });

  it('a new asynchronous projection does not begin, and says so; one that has begun goes on', async () => {
    const replica = notes.replica();
    await replica.write(newNote(), opened('old'));
    const running = replica.start();
    await eventually(async () => expect(await notes.rows('notes_later')).toHaveLength(1));
    await eventually(async () => expect(await notes.rows('notes_other')).toHaveLength(1));
    await running.stop();
    await replica.pool.query(`delete from projection_checkpoints where name = 'notes_other'`);
    await replica.pool.query('delete from notes_other');
    const n = await archiveAll(replica);
    await replica.write(newNote(), opened('young'));

    const again = notes.replica();
    again.start();
    await eventually(async () => expect(await notes.rows('notes_later')).toHaveLength(2));
    await eventually(async () =>
      expect(again.said).toContainEqual(expect.stringContaining('events_archived')),
    );
    expect(await notes.rows('notes_other')).toEqual([]);
    expect((await listProjections(again.set))[2]).toMatchObject({ position: 0n });

    await attachAgain(n);
    await eventually(async () => expect(await notes.rows('notes_other')).toHaveLength(2));
  });
});

describe('an archive', () => {
  it('waits for a reader that is about to begin, and then finds it', async () => {
    const replica = notes.replica();
    const { pool } = notes.database();
    await replica.write(newNote(), opened('old'));
    const n = await fullPartition(replica);
    let archiving: Promise<void> | undefined;
    await inTransaction(replica.pool, async (tx) => {
      await requireAllEvents(tx, 'notes_later');
      archiving = archivePartition(notes.replica().pool, n, OPTIONS);
      archiving.catch(() => undefined);
      await eventually(async () =>
        expect(await isWaitedFor(pool, 'archived_partitions')).toBe(true),
      );
      await tx.query(
        `insert into projection_checkpoints (name, version) values ('notes_later', 2)`,
      );
    });
    await expect(archiving).rejects.toMatchObject({ code: 'partition_unread' });
  });

  it('does not wait for events that a projection is not shown, nor a rebuild that was broken off', async () => {
    const replica = notes.replica();
    await replica.write(newNote(), opened('own'));
    const running = replica.start();
    for (const table of ['notes_later', 'notes_other']) {
      await eventually(async () => expect(await notes.rows(table)).toHaveLength(1));
    }
    await running.stop();
    for await (const { phase } of rebuildProjection(replica.set, 'notes_inline')) {
      if (phase === 'switching') break;
    }
    // Others' events are the last of the partition, and will be for as long as no note is opened.
    const streamId = `thing-${newNote()}`;
    await replica.store.append([{ streamId, expected: 'none', events: [opened('of others')] }]);
    const n = await fullPartition(replica);
    await archivePartition(replica.pool, n, { ...OPENING, projections: replica.set });
    archived.push(n);

    notes.replica().start();
    await replica.write(newNote(), opened('after'));
    await eventually(async () => expect(await notes.rows('notes_later')).toHaveLength(2));
  });

  it('waits for rebuilds under way, not for inline projections that were rebuilt once', async () => {
    const replica = notes.replica();
    await replica.write(newNote(), opened('old'));
    await rebuild(replica, 'notes_inline');
    await replica.write(newNote(), opened('later'));
    const n = await fullPartition(replica);
    await replica.write(newNote(), opened('young'));
    for await (const _ of rebuildProjection(replica.set, 'notes_inline')) break;
    const { inline } = replica.set;
    const options = { ...OPENING, projections: { inline, asynchronous: [] } };
    const archiving = () => archivePartition(replica.pool, n, options);
    await expect(archiving()).rejects.toMatchObject({
      code: 'partition_unread',
      message: expect.stringMatching(/: notes_inline \(version 3\)\.$/),
    });

    await discardRebuild(replica.set, 'notes_inline');
    await archiving();
    archived.push(n);
  });
});

async function rebuild({ set }: Replica, name: string): Promise<void> {
  for await (const _ of rebuildProjection(set, name));
}

/** Archives the partition of all events there are, and gives its number. */
async function archiveAll(replica: Replica): Promise<number> {
  const n = await fullPartition(replica);
  await archivePartition(replica.pool, n, OPTIONS);
  archived.push(n);
  return n;
}

async function attachAgain(n: number): Promise<void> {
  await attachPartition(notes.database().pool, n);
  archived = archived.filter((one) => one !== n);
}

/** The one that was written last: the next event comes into the one after it. */
async function fullPartition({ pool }: Replica): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `select (max(position) / ${PARTITION_SIZE})::int as n from events`,
  );
  const n = rows[0]?.n ?? 0;
  await fillPartition(pool, n);
  return n;
}
