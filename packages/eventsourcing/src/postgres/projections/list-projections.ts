import type { Event } from '../../index.js';
import type { ProjectionSet } from './projection-set.js';

/** A read model and, while there is one, its rebuild. */
export interface ProjectionState {
  /** Name of the projection, which is that of its table. */
  readonly name: string;
  /** Version that answers reads: 1 plus the number of finished rebuilds. */
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

const LIST = `
select p.name, coalesce(live.version, 1) as version, beside.version as beside, beside.done,
       case when l.name is null then 'waiting' else 'running' end as status
  from unnest($1::text[]) with ordinality as p (name, place)
  left join projection_checkpoints live on live.name = p.name and live.live
  left join projection_checkpoints beside on beside.name = p.name and not beside.live
  left join projection_leases l on l.name = p.name and l.owner is not null and l.expires_at > now()
 order by p.place`;

interface Row extends Pick<ProjectionState, 'name' | 'version'>, Pick<RebuildState, 'status'> {
  readonly beside: number | null;
  readonly done: string | null;
}

/** Returns the projections of a service, in the order of the set. */
export async function listProjections<E extends Event>({
  pool,
  inline,
}: Pick<ProjectionSet<E>, 'pool' | 'inline'>): Promise<readonly ProjectionState[]> {
  const { rows } = await pool.query<Row>(LIST, [inline.map(({ table }) => table)]);
  return rows.map(({ name, version, beside, status, done }) => ({
    name,
    version,
    rebuild: beside === null ? undefined : { version: beside, status, eventsDone: Number(done) },
  }));
}
