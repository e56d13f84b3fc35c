import {
  type Decider,
  type Event,
  type EventStore,
  loadState,
  type Snapshots,
  type StateCodec,
} from '@junction/eventsourcing';
import type pg from 'pg';
import type { Queryable } from './queryable.js';

const EVERY = 100;

/** Streams that wait for theirs; beyond this they wait for their next load. */
const WAITING_MAX = 1_000;

export interface PostgresSnapshotsOptions<State, E extends Event> {
  readonly pool: pg.Pool;
  readonly store: Pick<EventStore<E>, 'load'>;
  readonly decider: Pick<Decider<State, never, E>, 'initialState' | 'evolve'>;
  readonly codec: StateCodec<State>;
  /** How many events after the last snapshot are worth another. Default 100. */
  readonly every?: number;
  /** One could not be taken; it will be offered again. */
  readonly onError: (error: unknown) => void;
}

export interface PostgresSnapshots<State> extends Snapshots<State> {
  /** The same, read inside the caller's transaction. */
  within(tx: pg.ClientBase): Snapshots<State>;
  /** `StateCodec.shape` of those that are taken. */
  readonly shape: number;
  /**
   * Takes one now, of what is committed, however few events it spares. False: none was stored, because the codec
   * takes none of this state or one as new is there. Throws when the stream cannot be loaded.
   */
  take(streamId: string): Promise<boolean>;
  /** Resolves when none is being taken. */
  idle(): Promise<void>;
}

/**
 * Snapshots in the table of that name. One is taken after a load had to replay many events, in the
 * background and from what is committed by then: a caller neither waits for it nor can put into it what
 * a transaction takes back.
 */
export function postgresSnapshots<State, E extends Event>(
  options: PostgresSnapshotsOptions<State, E>,
): PostgresSnapshots<State> {
  const { pool, store, decider, codec, every = EVERY, onError } = options;
  const waiting = new Set<string>();
  let taking: Promise<void> | undefined;

  const readFrom = (db: Queryable): Snapshots<State> => ({
    async find(streamId) {
      const stored = await findStored(db, streamId, codec.shape);
      const state = stored && (await codec.decode(streamId, stored.state));
      return state === undefined || !stored ? undefined : { state, version: stored.version };
    },
    replayed(streamId, events) {
      if (events < every || waiting.size >= WAITING_MAX) return;
      waiting.add(streamId);
      taking ??= takeAll().finally(() => {
        taking = undefined;
      });
    },
  });

  const { find, replayed } = readFrom(pool);

  const take = async (streamId: string): Promise<boolean> => {
    const committed = { find, replayed: () => undefined };
    const { state, version } = await loadState(store, decider, streamId, committed);
    const encoded = await codec.encode(streamId, state);
    if (!encoded || version === 0) return false;
    return save(pool, streamId, version, codec.shape, encoded);
  };

  const takeAll = async (): Promise<void> => {
    // What is added meanwhile is met too.
    for (const streamId of waiting) {
      await take(streamId).catch(onError);
      waiting.delete(streamId);
    }
  };

  return {
    find,
    replayed,
    within: readFrom,
    shape: codec.shape,
    take,
    idle: async () => taking,
  };
}

interface StoredSnapshot {
  readonly version: number;
  readonly state: unknown;
}

async function findStored(
  db: Queryable,
  streamId: string,
  shape: number,
): Promise<StoredSnapshot | undefined> {
  const { rows } = await db.query<StoredSnapshot & object>({
    name: 'junction_find_snapshot',
    text: 'select version, state from snapshots where stream_id = $1 and schema_version = $2',
    values: [streamId, shape],
  });
  return rows[0];
}

// Never back: during a deploy code of the shape before still takes its own.
const SAVE = `
insert into snapshots as s (stream_id, version, schema_version, state) values ($1, $2, $3, $4)
on conflict (stream_id) do update
  set version = excluded.version, schema_version = excluded.schema_version, state = excluded.state,
      taken_at = now()
where (excluded.schema_version, excluded.version) > (s.schema_version, s.version)`;

async function save(
  db: Queryable,
  streamId: string,
  version: number,
  shape: number,
  state: object,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'junction_save_snapshot',
    text: SAVE,
    values: [streamId, version, shape, JSON.stringify(state)],
  });
  return rowCount === 1;
}
