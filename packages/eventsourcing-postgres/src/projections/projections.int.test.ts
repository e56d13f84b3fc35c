import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { closed, newNote, opened, smudged, useNotes, written } from '../../test/note-stage.js';
import { retryProjection, skipProjectionEvent } from './decide.js';
import { listProjections } from './list-projections.js';

const notes = useNotes();

/** Longer than any test: what arrives was called for. */
const NEVER_MS = 3_600_000;

describe('an asynchronous projection', () => {
  it('becomes what the inline one is, from the first event on', async () => {
    const replica = notes.replica();
    const [one, two] = [newNote(), newNote()];
    await replica.write(one, opened('one'), written('a'));
    await replica.write(two, opened('two'));
    await replica.write(two, closed);
    replica.start();
    await replica.write(one, written('b'));
    await eventually(same);
    expect(await notes.rows('notes_later')).toHaveLength(1);
  });

  it('is woken by a commit, here and in another process', async () => {
    const [here, there] = [notes.replica(), notes.replica()];
    here.start(NEVER_MS);
    await caughtUp(here);
    for (const replica of [here, there]) {
      await replica.write(newNote(), opened('called'));
      await eventually(same);
    }
  });

  it('goes on where it was when its process is started again', async () => {
    const first = notes.replica();
    const running = first.start();
    await caughtUp(first);
    await running.stop();
    const before = await listed(first, 'notes_later');
    await first.write(newNote(), opened('meanwhile'));

    notes.replica().start();
    await eventually(same);
    const after = await listed(first, 'notes_later');
    expect(after.position).toBeGreaterThan(before.position ?? 0n);
  });
});

describe('an event that a projection cannot handle', () => {
  it('stops it there, and no other; it goes on when the event is skipped', async () => {
    const replica = notes.replica({ reads: 'clean' });
    replica.start();
    await caughtUp(replica);
    const noteId = newNote();
    await replica.write(noteId, opened('x'), written('before'));
    const { events } = await replica.write(noteId, smudged('j0hn@example.org'), written('after'));
    const position = events[0]?.position ?? 0n;

    const stopped = await eventually(async () => {
      const state = await listed(replica, 'notes_later');
      expect(state).toMatchObject({ status: 'stopped', stopped: { position, type: 'smudged' } });
      return state;
    });
    expect(stopped.stopped?.reason).toMatch(/^RangeError at notes\.mjs:\d+$/);
    expect(stopped.lag.events).toBe(2);
    expect(await rowOf('notes_later', noteId)).toMatchObject({ words: ['before'] });
    expect(JSON.stringify(replica.said)).not.toContain('j0hn');
    await eventually(async () =>
      expect(await rowOf('notes_other', noteId)).toMatchObject({ words: ['before', '?', 'after'] }),
    );

    await expect(skipProjectionEvent(replica.set, 'notes_later', position - 1n)).rejects.toThrow(
      'is not stopped at event',
    );
    await skipProjectionEvent(replica.set, 'notes_later', position);
    await eventually(async () =>
      expect(await rowOf('notes_later', noteId)).toMatchObject({ words: ['before', 'after'] }),
    );
    expect(await listed(replica, 'notes_later')).toMatchObject({
      status: 'running',
      stopped: undefined,
      skipped: 1,
    });
  });

  it('is tried again when asked to, and by whoever takes the projection over', async () => {
    const clean = notes.replica({ reads: 'clean' });
    const running = clean.start();
    await caughtUp(clean);
    const noteId = newNote();
    await clean.write(noteId, opened('x'), smudged('y'));
    const firstStop = await stoppedAt(clean);

    await retryProjection(clean.set, 'notes_later');
    await eventually(async () => expect(await stoppedAt(clean)).not.toEqual(firstStop));

    notes.replica({ reads: 'smudged' }).start();
    await running.stop();
    await eventually(async () =>
      expect(await rowOf('notes_later', noteId)).toMatchObject({ words: ['?'] }),
    );
    await expect(retryProjection(clean.set, 'notes_later')).rejects.toMatchObject({
      code: 'projection_not_stopped',
    });
  });
});

describe('trouble that is not of an event', () => {
  it('never stops a projection: it waits, and goes on by itself', async () => {
    const replica = notes.replica();
    replica.start();
    await caughtUp(replica);
    const { pool } = notes.database();
    await pool.query('alter table notes_later rename to notes_elsewhere');
    await replica.write(newNote(), opened('during'));
    await eventually(() =>
      expect(replica.said).toContain('a projection waits for its surroundings'),
    );
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await pool.query('alter table notes_elsewhere rename to notes_later');
    await eventually(same);
    expect(await listed(replica, 'notes_later')).toMatchObject({ status: 'running' });
  });
});

describe('the list of projections', () => {
  it('names a projection nobody works at', async () => {
    const replica = notes.replica();
    const running = replica.start();
    await caughtUp(replica);
    await running.stop();
    await replica.write(newNote(), opened('x'), written('y'));
    const list = await listProjections(replica.set);
    expect(list.map(({ name, mode, status }) => ({ name, mode, status }))).toEqual([
      { name: 'notes_inline', mode: 'inline', status: 'running' },
      { name: 'notes_later', mode: 'asynchronous', status: 'waiting' },
      { name: 'notes_other', mode: 'asynchronous', status: 'waiting' },
    ]);
    expect(list.map(({ lag }) => lag.events)).toEqual([0, 2, 2]);
    expect(list[1]?.lag.seconds).toBeGreaterThan(0);
  });

  it('is what a command must name one of', async () => {
    await expect(retryProjection(notes.replica().set, 'nots')).rejects.toThrow(
      'There is no projection "nots". There are: notes_inline, notes_later, notes_other.',
    );
  });
});

type Replica = ReturnType<typeof notes.replica>;

async function same(): Promise<void> {
  expect(await notes.rows('notes_later')).toEqual(await notes.rows('notes_inline'));
}

async function caughtUp(replica: Replica): Promise<void> {
  await eventually(async () => {
    for (const { name, lag, status } of await listProjections(replica.set)) {
      expect({ name, status, events: lag.events }).toEqual({ name, status: 'running', events: 0 });
    }
  });
}

async function listed(replica: Replica, table: string) {
  const state = (await listProjections(replica.set)).find(({ name }) => name === table);
  if (!state) throw new Error(`${table} is not listed.`);
  return state;
}

const stoppedAt = (replica: Replica): Promise<Date> =>
  eventually(async () => {
    const { stopped } = await listed(replica, 'notes_later');
    if (!stopped) throw new Error('It is not stopped.');
    return stopped.at;
  });

async function rowOf(table: string, noteId: string): Promise<object | undefined> {
  return (await notes.rows(table)).find((row) => (row as { note_id: string }).note_id === noteId);
}
