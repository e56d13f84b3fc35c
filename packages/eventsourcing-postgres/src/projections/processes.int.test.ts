import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { newNote, opened, useNotes, written } from '../../test/note-stage.js';
import { inTransaction } from '../transaction.js';
import { LEASE } from './lease.js';
import { listProjections } from './list-projections.js';
import { rebuildProjection } from './rebuild.js';

/** What the product promises. */
const TAKEN_OVER_MS = 10_000;
const PROJECTOR = path.resolve('packages/eventsourcing-postgres/test/projector.mjs');

const notes = useNotes();
const children: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(children.splice(0).map(killed));
});

describe('a process that keeps a projection', () => {
  it('is taken over from within ten seconds when it is killed', async () => {
    const [replica, noteId] = [notes.replica(), newNote()];
    const holder = launch('run', 'notes_later');
    await replica.write(noteId, opened('x'));
    await eventually(same);
    const heir = launch('run', 'notes_later');
    await looksForLease(heir);
    await killed(holder);
    // By the database's clock: this machine may stand still for longer than that.
    const freeInMs = await leaseLeftMs(replica);
    expect(freeInMs + LEASE.renewMs).toBeLessThan(TAKEN_OVER_MS);
    await replica.write(noteId, written('after'));
    await eventually(same);
    expect((await later(replica)).owner).toContain(`process ${heir.pid}/`);
  });

  it('has no effect when it is paused in a transaction and wakes up after its lease', async () => {
    const [replica, noteId] = [notes.replica(), newNote()];
    const zombie = launch('run', 'notes_later', 'halts');
    await replica.write(noteId, opened('x'));
    await eventually(same);
    await replica.write(noteId, written('a'), { type: 'halted', data: {} }, written('b'));
    await isPaused(zombie);
    expect(await notes.rows('notes_later')).toMatchObject([{ words: [] }]);

    const heir = launch('run', 'notes_later');
    await eventually(same);
    zombie.kill('SIGCONT');
    await replica.write(noteId, written('c'));
    await eventually(same);
    // Every event once: what the zombie had under way is not counted either.
    const { rows } = await replica.pool.query<object>(
      `select done::int, (select count(*)::int from events) as events from projection_checkpoints`,
    );
    expect(rows).toEqual([{ done: 5, events: 5 }]);
    expect((await later(replica)).owner).toContain(`process ${heir.pid}/`);
  });

  it('has no effect when it is paused between transactions, and knows it is not asked', async () => {
    const [replica, noteId] = [notes.replica(), newNote()];
    const zombie = launch('run', 'notes_later');
    await replica.write(noteId, opened('x'));
    await eventually(same);
    zombie.kill('SIGSTOP');
    await isPaused(zombie);
    const heir = launch('run', 'notes_later');
    await replica.write(noteId, written('a'));
    await eventually(same);

    zombie.kill('SIGCONT');
    for (let n = 0; n < 20; n++) await replica.write(noteId, written(String(n)));
    await eventually(same);
    expect((await later(replica)).owner).toContain(`process ${heir.pid}/`);
  });
});

describe('a process that rebuilds a projection', () => {
  it('can be killed in the middle of a batch, under writes and reads, and another goes on', async () => {
    const [replica, noteId] = [notes.replica(), newNote()];
    await replica.write(noteId, opened('long'));
    for (let n = 0; n < 6; n++) await replica.write(noteId, ...words(100));
    await replica.write(noteId, { type: 'halted', data: {} }, ...words(90));
    await notes.database().pool.query(`update notes_inline set words = '{}'`);
    const world = busy(replica);

    const rebuilder = launch('rebuild', 'notes_inline', 'halts');
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
      const rebuilder = launch('rebuild', 'notes_inline');
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

type Replica = ReturnType<typeof notes.replica>;

function launch(task: 'run' | 'rebuild', table: string, ...more: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [PROJECTOR, notes.database().url, task, table, ...more], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
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

/** For how long it is not free to take, at most: the other one asks for it every `LEASE.renewMs`. */
async function leaseLeftMs({ pool }: ReturnType<typeof notes.replica>): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>(
    'select extract(epoch from max(expires_at) - clock_timestamp())::float8 * 1000 as ms from projection_leases',
  );
  return rows[0]?.ms ?? Number.NaN;
}

/** Until it has asked for the lease, and somebody else has it. */
async function looksForLease({ pid }: ChildProcess): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await notes.database().pool.query(
      `select from pg_stat_activity
        where application_name = $1 and query like '%min(expires_at)%'`,
      [`projector ${pid}`],
    );
    expect(rowCount).toBe(1);
  });
}

async function same(): Promise<void> {
  expect(await notes.rows('notes_later')).toEqual(await notes.rows('notes_inline'));
}

async function later(replica: Replica) {
  const state = (await listProjections(replica.set)).find(({ name }) => name === 'notes_later');
  if (!state) throw new Error('It is not listed.');
  return state;
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
