import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach } from '@jest/globals';
import { breakableRoad, useDatabase } from '@junction/testing';
import { Pool } from 'pg';
import {
  eventStoreMigrations,
  migrate,
  type ProjectionSet,
  postgresEventStore,
  rowProjection,
} from '../src/postgres/index.js';
import { type NoteEvent, type NoteReading, noteCodec, notesIn } from './notes.mjs';

/** Lease times short enough for a test to wait for a takeover. */
export const QUICK = { renewMs: 100, expiryMs: 600 } as const;

const TABLES = ['notes_inline', 'notes_other'] as const;

/** A database with events of notes, and replicas that write and rebuild their read models. */
export function useNotes() {
  const database = useDatabase({
    template: 'eventsourcing',
    migrate: (url) => migrate(url, eventStoreMigrations),
  });
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

  return {
    database,
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
    async rows(table: string): Promise<readonly object[]> {
      const { rows } = await database().pool.query<object>(
        `select * from ${table} order by note_id`,
      );
      return rows;
    },
  };
}

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
