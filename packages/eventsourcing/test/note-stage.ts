import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { breakableRoad, useDatabase } from '@junction/testing';
import { Pool } from 'pg';
import { type ProjectionSet, postgresEventStore, rowProjection } from '../src/postgres/index.js';
import type { RebuildProgress } from '../src/postgres/projections/progress.js';
import { eventStoreDatabase } from './counters.js';
import { type NoteEvent, type NoteReading, noteCodec, notesIn } from './notes.mjs';

/** Lease times short enough for a test to wait for a takeover. */
export const QUICK = { renewMs: 100, expiryMs: 600 } as const;

const TABLES = ['notes_inline', 'notes_other'] as const;

/** A database with events of notes, and replicas that write and rebuild their read models. */
export function useNotes() {
  const database = useDatabase(eventStoreDatabase);
  const open: (() => Promise<unknown>)[] = [];
  const closing = <T>(resource: T, close: () => Promise<unknown>): T => {
    open.push(close);
    return resource;
  };
  afterEach(async () => {
    for (const close of open.splice(0).toReversed()) await close();
  });
  beforeAll(async () => {
    for (const table of TABLES) await database().pool.query(createTable(table));
  });
  // Each test starts without a history. Triggers forbid deleting one, so they are disabled here.
  beforeEach(async () => {
    await database().pool.query(`
      begin;
      set local session_replication_role = replica;
      truncate events, streams, commands, outbox, projection_checkpoints, projection_leases,
               ${TABLES.join(', ')};
      drop table if exists notes_inline_v2, notes_inline_v3, notes_other_v2;
      commit`);
  });

  const rows = async (table: string): Promise<readonly object[]> => {
    const { rows } = await database().pool.query<object>(`select * from ${table} order by note_id`);
    return rows;
  };
  const rowOf = async (noteId: string): Promise<object | undefined> =>
    (await rows('notes_inline')).find((row) => idOf(row) === noteId);

  return {
    database,
    rows,
    rowOf,
    async tables(): Promise<readonly string[]> {
      const { rows } = await database().pool.query<{ tablename: string }>(
        `select tablename from pg_tables where schemaname = 'public'`,
      );
      return rows.map(({ tablename }) => tablename);
    },
    /** Expects the rows that the streams alone lead to. */
    async expectEqualToHistory(
      { store }: ReturnType<typeof replicaOf>,
      ids: readonly string[],
    ): Promise<void> {
      for (const id of ids) {
        const { history, version } = await store.load(`note-${id}`);
        const words = history.flatMap((one) => (one.type === 'written' ? [one.data.word] : []));
        expect(await rowOf(id)).toMatchObject({ words, version });
      }
    },
    /** Opens the parts of one process, which are closed after the test. */
    replica(reading: NoteReading = {}, url = database().url) {
      const options = { connectionString: url, max: 6, pipeline: true };
      const pool = new Pool(options);
      pool.on('error', () => undefined);
      closing(pool, () => pool.end());
      return replicaOf(pool, reading);
    },
    /** Opens a path to the database that can be broken. It is closed after the test. */
    async road() {
      const road = await breakableRoad(database().url);
      return closing(road, () => road.break());
    },
  };
}

/** Runs a rebuild to its end, and returns what it told on the way. */
export async function progressOf(
  rebuild: AsyncIterable<RebuildProgress>,
): Promise<readonly RebuildProgress[]> {
  const seen: RebuildProgress[] = [];
  for await (const progress of rebuild) seen.push(progress);
  return seen;
}

export const idOf = (row: object | undefined): string => (row as { note_id: string }).note_id;

function replicaOf(pool: Pool, reading: NoteReading) {
  const set: ProjectionSet<NoteEvent> = {
    pool,
    codec: noteCodec,
    inline: [
      rowProjection(notesIn('notes_inline', reading)),
      rowProjection(notesIn('notes_other')),
    ],
  };
  const store = postgresEventStore<NoteEvent>({
    pool,
    codec: noteCodec,
    source: 'junction/test',
    inline: [rowProjection(notesIn('notes_inline'))],
  });
  return {
    pool,
    set,
    store,
    write: (noteId: string, ...events: readonly NoteEvent[]) =>
      store.append([{ streamId: `note-${noteId}`, expected: 'any', events }]),
  };
}

export const newNote = (): string => randomUUID();

export const opened = (title: string): NoteEvent => ({ type: 'opened', data: { title } });
export const written = (word: string): NoteEvent => ({ type: 'written', data: { word } });
export const smudged = (word: string): NoteEvent => ({ type: 'smudged', data: { word } });
export const closed: NoteEvent = { type: 'closed', data: {} };

const createTable = (table: string): string => `
  create table ${table} (
    note_id    uuid        primary key,
    title      text        not null check (title <> 'forbidden'),
    words      text[]      not null,
    version    integer     not null,
    changed_at timestamptz not null,
    pinned     boolean     not null default false
  )`;
