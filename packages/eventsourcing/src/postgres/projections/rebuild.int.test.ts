import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@junction/testing';
import fc from 'fast-check';
import {
  closed,
  newNote,
  opened,
  QUICK,
  smudged,
  useNotes,
  written,
} from '../../../test/note-stage.js';
import { BEGINNING, readAll } from '../store/read-all.js';
import { inTransaction } from '../transaction.js';
import { listProjections } from './list-projections.js';
import type { RebuildProgress } from './progress.js';
import { purgeRebuilds } from './purge-rebuilds.js';
import { discardRebuild, rebuildProjection } from './rebuild.js';

const REBUILDER = path.resolve('packages/eventsourcing/test/rebuilder.mjs');

const notes = useNotes();
const children: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(children.splice(0).map(killed));
});

describe('a rebuild of an inline projection', () => {
  it('corrects wrong rows, and leaves unknown columns alone', async () => {
    const replica = notes.replica();
    const [kept, changed, lost] = [newNote(), newNote(), newNote()];
    for (const id of [kept, changed, lost]) await replica.write(id, opened(id), written('a'));
    const before = await notes.rows('notes_inline');
    const { pool } = notes.database();
    await pool.query(`update notes_inline set words = '{}', pinned = true where note_id = $1`, [
      changed,
    ]);
    await pool.query('delete from notes_inline where note_id = $1', [lost]);
    await pool.query(
      `insert into notes_inline values (gen_random_uuid(), 'never opened', '{}', 1, now())`,
    );

    const progress = await all(rebuildProjection(replica.set, 'notes_inline'));
    expect(progress.at(-1)).toMatchObject({
      version: 2,
      phase: 'done',
      secondsLeft: 0,
    });
    const rows = await notes.rows('notes_inline');
    const ours = rows.filter((row) => before.some((one) => idOf(one) === idOf(row)));
    expect(ours.map((row) => ({ ...row, pinned: false }))).toEqual(before);
    expect(ours.find((row) => idOf(row) === changed)).toMatchObject({ pinned: true });
    expect(await tables()).not.toContain('notes_inline_v2');
  });

  it('misses no append that has written its row when it wants to take over', async () => {
    const replica = notes.replica();
    const noteId = newNote();
    await replica.write(noteId, opened('early'));
    await notes.database().pool.query(`update notes_inline set title = 'wrong'`);
    let rebuilding: Promise<readonly RebuildProgress[]> | undefined;
    await inTransaction(replica.pool, async (tx) => {
      await replica.store
        .within(tx)
        .append([{ streamId: `note-${noteId}`, expected: 'any', events: [written('early')] }]);
      rebuilding = all(rebuildProjection(notes.replica().set, 'notes_inline'));
      await untilActive('lock table', 'Lock');
    });
    await rebuilding;
    expect(await rowOf(noteId)).toMatchObject({ title: 'early', words: ['early'], version: 2 });
  });

  it('is not undone by an append that comes to its row while it takes over', async () => {
    const replica = notes.replica();
    const noteId = newNote();
    await replica.write(noteId, opened('late'));
    const { pool } = notes.database();
    await pool.query(`update notes_inline set title = 'wrong'`);
    await pool.query(GATE);

    const rebuilding = all(rebuildProjection(notes.replica().set, 'notes_inline'));
    await untilActive('update "notes_inline"', 'Timeout');
    const writing = replica.write(noteId, written('late'));
    await untilActive('for key share', 'Lock');
    expect(await rowOf(noteId)).toMatchObject({ title: 'wrong' });
    await pool.query('insert into gate values (true)');
    await Promise.all([rebuilding, writing]);
    await pool.query('drop table gate; drop function wait_for_gate cascade');
    expect(await rowOf(noteId)).toMatchObject({ title: 'late', words: ['late'], version: 2 });
  });

  it('fails no read and no write, however many come meanwhile', async () => {
    const replica = notes.replica();
    const ids = Array.from({ length: 20 }, newNote);
    for (const id of ids) await replica.write(id, opened(id), written('0'));
    await notes.database().pool.query(`update notes_inline set words = '{}'`);

    let isOver = false;
    const counts = { reads: 0, writes: 0 };
    const reading = async () => {
      while (!isOver) {
        const { rows } = await replica.pool.query({
          name: 'all_notes',
          text: 'select title, words from notes_inline where note_id = any ($1)',
          values: [ids],
        });
        expect(rows).toHaveLength(ids.length);
        counts.reads++;
      }
    };
    const writer = notes.replica();
    const writing = async (id: string) => {
      while (!isOver) {
        await writer.write(id, written('more'));
        counts.writes++;
      }
    };
    const under = [reading(), reading(), ...ids.slice(0, 3).map(writing)];
    const rebuilder = notes.replica();
    for (let n = 0; n < 3; n++) await all(rebuildProjection(rebuilder.set, 'notes_inline'));
    isOver = true;
    await Promise.all(under);

    expect(counts.reads).toBeGreaterThan(10);
    expect(counts.writes).toBeGreaterThan(10);
    await expectEqualToHistory(replica, ids);
  });
});

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
    const rest = all(rebuilding);
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
      await expect(all(rebuildProjection(clean.set, 'notes_inline'))).rejects.toMatchObject({
        code: 'rebuild_stopped',
        message: expect.stringContaining(`stopped at event ${position} (smudged): RangeError at`),
      });
    }
    expect((await listProjections(clean.set))[0]?.rebuild).toMatchObject({ eventsDone: 1 });

    const corrected = await all(rebuildProjection(notes.replica().set, 'notes_inline'));
    expect(corrected[0]).toMatchObject({ eventsDone: 1 });
    expect(await rowOf(noteId)).toMatchObject({ words: ['?', 'z'] });
  });

  it('reports that it cannot handle one of the newest events, which no reader may read yet', async () => {
    const clean = notes.replica({ reads: 'clean' });
    await inTransaction(clean.pool, async (tx) => {
      await tx.query('select pg_current_xact_id()');
      await clean.write(newNote(), opened('x'), smudged('y'));
      await expect(all(rebuildProjection(clean.set, 'notes_inline'))).rejects.toMatchObject({
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
    await expect(all(another)).rejects.toMatchObject({
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
    await expect(all(rebuildProjection(replica.set, 'notes_inline'))).rejects.toMatchObject({
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
    await all(rebuildProjection(replica.set, 'notes_inline'));
    expect(await count()).toEqual(before);
  });
});

describe('a process that rebuilds a projection', () => {
  it('can be killed in the middle of a batch, and another goes on', async () => {
    const [replica, noteId] = [notes.replica(), newNote()];
    await replica.write(noteId, opened('long'));
    for (let n = 0; n < 6; n++) await replica.write(noteId, ...words(100));
    await replica.write(noteId, { type: 'halted', data: {} }, ...words(90));
    await notes.database().pool.query(`update notes_inline set words = '{}'`);
    // Transactions of other databases hold up what can be read, and with it where the first batch ends.
    const { pool } = notes.database();
    await eventually(async () => expect(await readAll(pool, BEGINNING, 1_000)).toHaveLength(692));

    const rebuilder = launch('halts');
    await isPaused(rebuilder);
    await killed(rebuilder);
    const progress = await all(rebuildProjection(replica.set, 'notes_inline'));
    expect(progress[0]).toMatchObject({ phase: 'filling', eventsDone: 500 });
    expect(progress.at(-1)).toMatchObject({
      phase: 'done',
      eventsDone: 692,
      eventsTotal: 692,
    });
    expect(await rowOf(noteId)).toMatchObject({ version: 692, words: { length: 691 } });
  });

  it('can be killed while it takes over', async () => {
    const [replica, noteId] = [notes.replica(), newNote()];
    await replica.write(noteId, opened('x'));
    await notes.database().pool.query(`update notes_inline set title = 'wrong'`);
    await inTransaction(replica.pool, async (tx) => {
      await tx.query('lock table notes_inline in row exclusive mode');
      const rebuilder = launch();
      await untilActive('lock table', 'Lock');
      await killed(rebuilder);
    });
    expect(await notes.rows('notes_inline')).toMatchObject([{ title: 'wrong' }]);
    await all(rebuildProjection(replica.set, 'notes_inline'));
    expect(await notes.rows('notes_inline')).toMatchObject([{ title: 'x' }]);
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
        await all(rebuildProjection(replica.set, 'notes_inline'));
        expect(await notes.rows('notes_inline')).toEqual(before);
      }),
      { numRuns: 12, endOnFailure: true },
    );
  }, 60_000);
});

async function all(rebuild: AsyncIterable<RebuildProgress>): Promise<readonly RebuildProgress[]> {
  const seen: RebuildProgress[] = [];
  for await (const progress of rebuild) seen.push(progress);
  return seen;
}

const idOf = (row: object | undefined): string => (row as { note_id: string }).note_id;

async function rowOf(noteId: string): Promise<object | undefined> {
  return (await notes.rows('notes_inline')).find((row) => idOf(row) === noteId);
}

/** Expects the rows that the streams alone lead to. */
async function expectEqualToHistory(
  replica: ReturnType<typeof notes.replica>,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const { history, version } = await replica.store.load(`note-${id}`);
    const words = history.flatMap((event) => (event.type === 'written' ? [event.data.word] : []));
    expect(await rowOf(id)).toMatchObject({ words, version });
  }
}

/** Waits until a session waits in this way in the middle of such a statement. */
async function untilActive(statement: string, waitingFor: 'Lock' | 'Timeout'): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await notes.database().pool.query(
      `select from pg_stat_activity where datname = current_database()
          and pid <> pg_backend_pid() and wait_event_type = $1 and query like $2`,
      [waitingFor, `%${statement}%`],
    );
    expect(rowCount).toBeGreaterThan(0);
  });
}

/** Holds the transaction that takes over, known by its lock_timeout, at the first row it changes. */
const GATE = `
  create table gate (is_open boolean);
  create function wait_for_gate() returns trigger language plpgsql as $$
  begin
    while current_setting('lock_timeout') = '250ms' and not exists (select from gate) loop
      perform pg_sleep(0.01);
    end loop;
    return new;
  end $$;
  create trigger wait_for_gate before update on notes_inline
    for each row execute function wait_for_gate()`;

async function tables(): Promise<readonly string[]> {
  const { rows } = await notes
    .database()
    .pool.query<{ tablename: string }>(
      `select tablename from pg_tables where schemaname = 'public'`,
    );
  return rows.map(({ tablename }) => tablename);
}

function launch(...halts: readonly string[]): ChildProcess {
  const args = [REBUILDER, notes.database().url, 'notes_inline', ...halts];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(child);
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Waits until the system reports the process as stopped (proc(5): state T). */
async function isPaused({ pid }: ChildProcess): Promise<void> {
  await eventually(async () => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    expect(stat.slice(stat.lastIndexOf(')') + 2)[0]).toBe('T');
  });
}

const words = (count: number) => Array.from({ length: count }, (_, n) => written(`w${n}`));

const lastMoved = (name: string, hoursAgo: number) =>
  notes.database().pool.query(
    `update projection_checkpoints set updated_at = now() - make_interval(hours => $2)
        where name = $1 and not live`,
    [name, hoursAgo],
  );
