import { describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@junction/testing';
import fc from 'fast-check';
import {
  closed,
  newNote,
  opened,
  progressOf,
  QUICK,
  smudged,
  useNotes,
  written,
} from '../../../test/note-stage.js';
import { inTransaction } from '../transaction.js';
import { listProjections } from './list-projections.js';
import { purgeRebuilds } from './purge-rebuilds.js';
import { discardRebuild, rebuildProjection } from './rebuild.js';

const notes = useNotes();
const { rowOf, tables, expectEqualToHistory } = notes;

/**
 * Waits until all events are readable: a transaction that is open in another database of the cluster holds readers
 * back, and rebuilds with them.
 */
const allReadable = () =>
  eventually(async () => {
    const { rows } = await notes
      .database()
      .pool.query(
        'select max(tx) < pg_snapshot_xmin(pg_current_snapshot()) as readable from events',
      );
    expect(rows).toEqual([{ readable: true }]);
  });

describe('a rebuild', () => {
  it('waits out an outage and goes on after what was stored', async () => {
    const noteId = newNote();
    for (let n = 0; n < 8; n++) {
      const words = Array.from({ length: 100 }, () => written('w'));
      await notes.replica().write(noteId, ...(n === 0 ? [opened('long')] : []), ...words);
    }
    await allReadable();
    const road = await notes.road();
    const replica = notes.replica({}, road.url);
    const rebuilding = rebuildProjection(replica.set, 'notes_inline');
    for (let done = 0; done === 0; ) done = (await rebuilding.next()).value?.eventsDone ?? 0;
    await road.break();
    const tries = jest.spyOn(replica.pool, 'connect');
    const rest = progressOf(rebuilding);
    await eventually(() => expect(tries.mock.calls.length).toBeGreaterThan(2));
    await road.mend();
    expect((await rest).at(-1)).toMatchObject({ phase: 'done', eventsDone: 801 });
    await expectEqualToHistory(notes.replica(), [noteId]);
  });

  it('stops at an event it cannot handle, and goes on there with a projection that can', async () => {
    const clean = notes.replica({ reads: 'clean' });
    const noteId = newNote();
    const { events } = await clean.write(noteId, opened('x'), smudged('y'), written('z'));
    const position = events[1]?.position ?? 0n;
    await allReadable();
    for (let n = 0; n < 2; n++) {
      await expect(progressOf(rebuildProjection(clean.set, 'notes_inline'))).rejects.toMatchObject({
        code: 'rebuild_stopped',
        message: expect.stringContaining(`stopped at event ${position} (smudged): RangeError at`),
      });
    }
    expect((await listProjections(clean.set))[0]?.rebuild).toMatchObject({ eventsDone: 1 });

    const corrected = await progressOf(rebuildProjection(notes.replica().set, 'notes_inline'));
    expect(corrected[0]).toMatchObject({ eventsDone: 1 });
    expect(await rowOf(noteId)).toMatchObject({ words: ['?', 'z'] });
  });

  it('reports that it cannot handle one of the newest events, which no reader may read yet', async () => {
    const clean = notes.replica({ reads: 'clean' });
    await inTransaction(clean.pool, async (tx) => {
      await tx.query('select pg_current_xact_id()');
      await clean.write(newNote(), opened('x'), smudged('y'));
      await expect(progressOf(rebuildProjection(clean.set, 'notes_inline'))).rejects.toMatchObject({
        code: 'rebuild_stopped',
        message: expect.stringContaining('stopped at one of the newest events: RangeError at'),
      });
    });
  });

  it('is run by one process at a time, and can be discarded', async () => {
    const replica = notes.replica();
    await replica.write(newNote(), opened('x'));
    const rebuild = rebuildProjection(replica.set, 'notes_inline');
    await rebuild.next();
    const another = rebuildProjection(replica.set, 'notes_inline', { lease: QUICK });
    await expect(progressOf(another)).rejects.toMatchObject({
      code: 'rebuild_under_way',
    });
    await rebuild.return();
    expect(await tables()).toContain('notes_inline_v2');
    await discardRebuild(replica.set, 'notes_inline');
    expect(await tables()).not.toContain('notes_inline_v2');
    await expect(discardRebuild(replica.set, 'notes_inline')).rejects.toMatchObject({
      code: 'no_rebuild',
    });
  });

  it('changes nothing when it breaks a rule of the table, and names the rule', async () => {
    const replica = notes.replica();
    await replica.write(newNote(), opened('same'));
    const { pool } = notes.database();
    await pool.query('delete from notes_inline');
    await replica.write(newNote(), opened('same'));
    await pool.query('alter table notes_inline add constraint one_title unique (title)');
    const before = await notes.rows('notes_inline');
    await expect(progressOf(rebuildProjection(replica.set, 'notes_inline'))).rejects.toMatchObject({
      code: 'projection_rows_refused',
      message: expect.stringContaining('one_title'),
    });
    expect(await notes.rows('notes_inline')).toEqual(before);
    await pool.query('alter table notes_inline drop constraint one_title');
    await replica.write(newNote(), closed);
  });

  it('publishes nothing and appends nothing', async () => {
    const replica = notes.replica();
    await replica.write(newNote(), opened('x'));
    const count = async () => {
      const { rows } = await notes
        .database()
        .pool.query<object>(
          'select (select count(*) from outbox) as outbox, (select count(*) from events) as events',
        );
      return rows[0];
    };
    const before = await count();
    await progressOf(rebuildProjection(replica.set, 'notes_inline'));
    expect(await count()).toEqual(before);
  });
});

it('a rebuild that was left a day ago is purged; a younger one and one under way are not', async () => {
  const { set, pool, write } = notes.replica();
  await write(newNote(), opened('x'));
  for (const name of ['notes_inline', 'notes_other']) {
    for await (const _ of rebuildProjection(set, name)) break;
  }
  await lastMoved('notes_other', 23);
  await lastMoved('notes_inline', 25);
  const goingOn = rebuildProjection(set, 'notes_inline');
  await goingOn.next();
  expect(await purgeRebuilds(pool)).toEqual([]);
  await goingOn.return();

  expect(await purgeRebuilds(pool)).toEqual(['notes_inline']);
  expect((await tables()).filter((name) => /_v\d+$/.test(name))).toEqual(['notes_other_v2']);
  const states = await listProjections(set);
  expect(states.map(({ rebuild }) => rebuild?.version)).toEqual([undefined, 2]);
  expect(await purgeRebuilds(pool)).toEqual([]);
});

describe('a rebuild after any writes', () => {
  it('finds nothing to change', async () => {
    const replica = notes.replica();
    const text = fc
      .string({ maxLength: 5, unit: 'grapheme' })
      .map((one) => one.replaceAll('\0', ''));
    const event = fc.oneof(
      text.map(opened),
      text.map(written),
      fc.constantFrom(smudged('?'), closed),
    );
    const append = fc.tuple(fc.nat({ max: 3 }), fc.array(event, { minLength: 1, maxLength: 4 }));
    const histories = fc.array(append, { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(histories, async (appends) => {
        const ids = Array.from({ length: 4 }, newNote);
        for (const [note, events] of appends) await replica.write(ids[note] ?? '', ...events);
        const before = await notes.rows('notes_inline');
        await progressOf(rebuildProjection(replica.set, 'notes_inline'));
        expect(await notes.rows('notes_inline')).toEqual(before);
      }),
      { numRuns: 12, endOnFailure: true },
    );
  }, 60_000);
});

const lastMoved = (name: string, hoursAgo: number) =>
  notes.database().pool.query(
    `update projection_checkpoints set updated_at = now() - make_interval(hours => $2)
        where name = $1 and not live`,
    [name, hoursAgo],
  );
