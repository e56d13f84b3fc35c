import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { idOf, newNote, opened, progressOf, useNotes, written } from '../../../test/note-stage.js';
import { BEGINNING, readAll } from '../store/read-all.js';
import { inTransaction } from '../transaction.js';
import type { RebuildProgress } from './progress.js';
import { rebuildProjection } from './rebuild.js';

const REBUILDER = path.resolve('packages/eventsourcing/test/rebuilder.mjs');

const notes = useNotes();
const { rowOf, tables, expectEqualToHistory } = notes;

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

    const progress = await progressOf(rebuildProjection(replica.set, 'notes_inline'));
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
      rebuilding = progressOf(rebuildProjection(notes.replica().set, 'notes_inline'));
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

    const rebuilding = progressOf(rebuildProjection(notes.replica().set, 'notes_inline'));
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
    for (let n = 0; n < 3; n++) await progressOf(rebuildProjection(rebuilder.set, 'notes_inline'));
    isOver = true;
    await Promise.all(under);

    expect(counts.reads).toBeGreaterThan(10);
    expect(counts.writes).toBeGreaterThan(10);
    await expectEqualToHistory(replica, ids);
  });
});

it('a process that rebuilds a projection can be killed in the middle of a batch, and another goes on', async () => {
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
  const progress = await progressOf(rebuildProjection(replica.set, 'notes_inline'));
  expect(progress[0]).toMatchObject({ phase: 'filling', eventsDone: 500 });
  expect(progress.at(-1)).toMatchObject({
    phase: 'done',
    eventsDone: 692,
    eventsTotal: 692,
  });
  expect(await rowOf(noteId)).toMatchObject({ version: 692, words: { length: 691 } });
});

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
