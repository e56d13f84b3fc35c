import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { newNote, opened, useNotes, written } from '../../test/note-stage.js';
import { inTransaction } from '../transaction.js';
import { listProjections } from './list-projections.js';
import { purgeRebuilds } from './purge-rebuilds.js';
import { rebuildProjection } from './rebuild.js';

const REBUILDER = path.resolve('packages/eventsourcing-postgres/test/rebuilder.mjs');

const notes = useNotes();
const children: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(children.splice(0).map(killed));
});

describe('a process that rebuilds a projection', () => {
  it('can be killed in the middle of a batch, under writes and reads, and another goes on', async () => {
    const [replica, noteId] = [notes.replica(), newNote()];
    await replica.write(noteId, opened('long'));
    for (let n = 0; n < 6; n++) await replica.write(noteId, ...words(100));
    await replica.write(noteId, { type: 'halted', data: {} }, ...words(90));
    await notes.database().pool.query(`update notes_inline set words = '{}'`);
    const world = busy(replica);

    const rebuilder = launch('halts');
    await isPaused(rebuilder);
    await killed(rebuilder);
    const seen = [];
    for await (const one of rebuildProjection(replica.set, 'notes_inline')) seen.push(one);
    expect(seen[0]).toMatchObject({ phase: 'filling', eventsDone: 500 });
    expect(seen.at(-1)).toMatchObject({ phase: 'done', changes: { added: 0, removed: 0 } });
    await world.end();

    const { history, version } = await replica.store.load(`note-${noteId}`);
    const [row] = (await notes.rows('notes_inline')) as { version: number; words: string[] }[];
    expect(row?.version).toBe(version);
    expect(row?.words.length).toBe(history.length - 1);
  });

  it('can be killed while it takes over', async () => {
    const [replica, noteId] = [notes.replica(), newNote()];
    await replica.write(noteId, opened('x'));
    await notes.database().pool.query(`update notes_inline set title = 'wrong'`);
    await inTransaction(replica.pool, async (tx) => {
      await tx.query('lock table notes_inline in row exclusive mode');
      const rebuilder = launch();
      await eventually(async () => {
        const { rowCount } = await notes.database().pool.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'lock table%'
              and datname = current_database()`,
        );
        expect(rowCount).toBe(1);
      });
      await killed(rebuilder);
    });
    expect(await notes.rows('notes_inline')).toMatchObject([{ title: 'wrong' }]);
    for await (const _ of rebuildProjection(replica.set, 'notes_inline'));
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
  expect(await tables()).toEqual(['notes_other_v2']);
  const states = await listProjections(set);
  expect(states.map(({ rebuild }) => rebuild?.version)).toEqual([undefined, 2]);
  expect(await purgeRebuilds(pool)).toEqual([]);
});

type Replica = ReturnType<typeof notes.replica>;

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

/** Until the system says that it is stopped (proc(5): state T). */
async function isPaused({ pid }: ChildProcess): Promise<void> {
  await eventually(async () => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    expect(stat.slice(stat.lastIndexOf(')') + 2)[0]).toBe('T');
  });
}

const words = (count: number) => Array.from({ length: count }, (_, n) => written(`w${n}`));

/** Writes and reads the one note there is, until the end; fails when one of them does. */
function busy(replica: Replica) {
  let isOver = false;
  const reading = async () => {
    while (!isOver) expect(await notes.rows('notes_inline')).toHaveLength(1);
  };
  const writing = async () => {
    while (!isOver) {
      const [note] = await notes.rows('notes_inline');
      await replica.write((note as { note_id: string }).note_id, written('meanwhile'));
    }
  };
  const both = Promise.all([reading(), writing()]);
  // Looked at in the end: until then a failure has nobody to tell.
  both.catch(() => undefined);
  return {
    async end(): Promise<void> {
      isOver = true;
      await both;
    },
  };
}

const lastMoved = (name: string, hoursAgo: number) =>
  notes.database().pool.query(
    `update projection_checkpoints set updated_at = now() - make_interval(hours => $2)
        where name = $1 and not live`,
    [name, hoursAgo],
  );

async function tables(): Promise<readonly string[]> {
  const { rows } = await notes
    .database()
    .pool.query<{ tablename: string }>(
      `select tablename from pg_tables where tablename ~ '_v[0-9]+$' order by 1`,
    );
  return rows.map(({ tablename }) => tablename);
}
