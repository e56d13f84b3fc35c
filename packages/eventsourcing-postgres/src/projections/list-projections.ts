import type { Event } from '@junction/eventsourcing';
import type { Queryable } from '../queryable.js';
import { type ReaderLag, readerLag } from '../reader-lag.js';
import { type Checkpoint, findCheckpoints, type StoppedAt } from './checkpoint.js';
import type { ProjectionMode, ProjectionSet } from './projection-set.js';

/** How a projection is doing. */
export interface ProjectionState {
  /** The name of its table. */
  readonly name: string;
  readonly mode: ProjectionMode;
  /** The version that answers reads: how often it was rebuilt, and one. */
  readonly version: number;
  /** `waiting`: nobody has worked at it within the last seconds. An inline one always runs. */
  readonly status: 'running' | 'waiting' | 'stopped';
  /** Who works at it; undefined for an inline one, and while it is waiting. */
  readonly owner: string | undefined;
  /** The position of the last event it has handled; undefined for an inline one. */
  readonly position: bigint | undefined;
  /** How far it is behind what is committed. Of an inline one: not at all. */
  readonly lag: ReaderLag;
  readonly stopped: StoppedAt | undefined;
  /** Events that somebody decided to leave out of this version. */
  readonly skipped: number;
  readonly rebuild: RebuildState | undefined;
}

/** A version that is being filled beside the one that answers. */
export interface RebuildState {
  readonly version: number;
  readonly status: 'running' | 'waiting' | 'stopped';
  readonly eventsDone: number;
  /** Still to do; at most 10,000 are counted. */
  readonly lag: ReaderLag;
  readonly stopped: StoppedAt | undefined;
}

/** The projections of a service, the inline ones first. */
export async function listProjections<E extends Event>({
  pool,
  inline,
  asynchronous,
}: Pick<ProjectionSet<E>, 'pool' | 'inline' | 'asynchronous'>): Promise<
  readonly ProjectionState[]
> {
  const given = [
    ...inline.map(({ table, aggregate }) => ({ table, aggregate, mode: 'inline' as const })),
    ...asynchronous.map(({ table, aggregate }) => ({
      table,
      aggregate,
      mode: 'asynchronous' as const,
    })),
  ];
  const names = given.map(({ table }) => table);
  const known = await findCheckpoints(pool, names);
  const owners = await findOwners(pool, names);
  const skips = await countSkips(pool, names);

  return Promise.all(
    given.map(async ({ table: name, aggregate, mode }): Promise<ProjectionState> => {
      const versions = known.filter((one) => one.name === name);
      const live = versions.find((one) => one.live);
      const beside = versions.find((one) => !one.live);
      const version = live?.version ?? 1;
      const owner = owners.get(name);
      const isInline = mode === 'inline';
      const behind = (at: Checkpoint['at'] | undefined) =>
        readerLag(pool, at ?? { tx: 0n, position: 0n }, { category: aggregate });
      return {
        name,
        mode,
        version,
        status: isInline ? 'running' : statusOf(live, owner),
        owner: isInline ? undefined : owner,
        position: isInline ? undefined : (live?.at.position ?? 0n),
        lag: isInline ? { events: 0, seconds: 0 } : await behind(live?.at),
        stopped: isInline ? undefined : live?.stopped,
        skipped: skips.get(`${name} ${version}`) ?? 0,
        rebuild: beside && {
          version: beside.version,
          status: statusOf(beside, owners.get(rebuildTask(name))),
          eventsDone: beside.done,
          lag: await behind(beside.at),
          stopped: beside.stopped,
        },
      };
    }),
  );
}

/** What a rebuild leases. */
export const rebuildTask = (name: string): string => `${name} rebuild`;

function statusOf(checkpoint: Checkpoint | undefined, owner: string | undefined) {
  if (checkpoint?.stopped) return 'stopped';
  return owner === undefined ? 'waiting' : 'running';
}

async function findOwners(
  db: Queryable,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ task: string; owner: string }>({
    text: 'select task, owner from projection_leases where task = any ($1) and expires_at > now()',
    values: [[...names, ...names.map(rebuildTask)]],
  });
  return new Map(rows.map(({ task, owner }) => [task, owner]));
}

async function countSkips(
  db: Queryable,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ place: string; count: number }>({
    text: `select name || ' ' || version as place, count(*)::int as count
             from projection_skips where name = any ($1) group by 1`,
    values: [names],
  });
  return new Map(rows.map(({ place, count }) => [place, count]));
}

/** Whether it waits, at an event it could not handle, for somebody to decide. */
export async function isProjectionStopped(db: Queryable, name: string): Promise<boolean> {
  const versions = await findCheckpoints(db, [name]);
  return versions.some(({ live, stopped }) => live && stopped !== undefined);
}
