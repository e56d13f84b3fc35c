import type { Event } from '@junction/eventsourcing';
import type { Queryable } from '../queryable.js';
import { type Checkpoint, findCheckpoints } from './checkpoint.js';
import type { ProjectionSet } from './projection-set.js';

/** A read model and, while there is one, its rebuild. */
export interface ProjectionState {
  /** The name of its table. */
  readonly name: string;
  /** The version that answers reads: how often it was rebuilt, and one. */
  readonly version: number;
  readonly rebuild: RebuildState | undefined;
}

/** A version that is being filled beside the one that answers. */
export interface RebuildState {
  readonly version: number;
  /** `waiting`: no process has worked at it within the last seconds. */
  readonly status: 'running' | 'waiting';
  readonly eventsDone: number;
}

/** The projections of a service, in the order of the set. */
export async function listProjections<E extends Event>({
  pool,
  inline,
}: Pick<ProjectionSet<E>, 'pool' | 'inline'>): Promise<readonly ProjectionState[]> {
  const names = inline.map(({ table }) => table);
  const checkpoints = await findCheckpoints(pool, names);
  const tasks = await tasksUnderWay(pool, names.map(rebuildTask));
  const rebuildOf = (beside: Checkpoint): RebuildState => ({
    version: beside.version,
    status: tasks.has(rebuildTask(beside.name)) ? 'running' : 'waiting',
    eventsDone: beside.done,
  });
  return names.map((name) => {
    const versions = checkpoints.filter((one) => one.name === name);
    const beside = versions.find(({ live }) => !live);
    return {
      name,
      version: versions.find(({ live }) => live)?.version ?? 1,
      rebuild: beside && rebuildOf(beside),
    };
  });
}

/** The name of the lease under which a projection is rebuilt. */
export const rebuildTask = (name: string): string => `${name} rebuild`;

async function tasksUnderWay(
  db: Queryable,
  tasks: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ task: string }>({
    text: 'select task from projection_leases where task = any ($1) and expires_at > now()',
    values: [tasks],
  });
  return new Set(rows.map(({ task }) => task));
}
