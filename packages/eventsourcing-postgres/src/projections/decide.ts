import { AppError } from '@junction/errors';
import type { Event } from '@junction/eventsourcing';
import { NOT_STOPPED } from './checkpoint.js';
import { PROJECTIONS, type ProjectionSet, projectionNamed } from './projection-set.js';

/**
 * Lets a stopped projection try the event again that stopped it: after a repair of the data around it, or of
 * the code (whoever takes a projection over tries by itself). For a rebuild, begin that again instead.
 */
export async function retryProjection<E extends Event>(
  set: ProjectionSet<E>,
  name: string,
): Promise<void> {
  projectionNamed(set, name);
  const { rowCount } = await set.pool.query(
    `update projection_checkpoints set ${NOT_STOPPED}
      where name = $1 and live and stopped_at is not null`,
    [name],
  );
  if (rowCount === 0) throw notStopped(name);
  set.notifier.notify(PROJECTIONS);
}

/**
 * Leaves out the event that stopped a projection or its rebuild, for ever, and goes on behind it. The
 * position says which event is meant: a projection that meanwhile stopped at another keeps that one.
 */
export async function skipProjectionEvent<E extends Event>(
  set: ProjectionSet<E>,
  name: string,
  position: bigint,
): Promise<void> {
  projectionNamed(set, name);
  const { rowCount } = await set.pool.query(
    `with stopped as (
       select name, version, stopped_position as position, stopped_type as type,
              stopped_reason as reason
         from projection_checkpoints where name = $1 and stopped_position = $2 for update
     ), noted as (
       insert into projection_skips (name, version, position, type, reason)
       select * from stopped on conflict do nothing
     )
     update projection_checkpoints c
        set tx = e.tx, position = e.position, done = done + 1, updated_at = now(), ${NOT_STOPPED}
       from stopped s join events e on e.position = s.position
      where c.name = s.name and c.version = s.version`,
    [name, position],
  );
  if (rowCount === 0) throw notStopped(name, position);
  set.notifier.notify(PROJECTIONS);
}

const notStopped = (name: string, position?: bigint): AppError =>
  new AppError(
    'conflict',
    'projection_not_stopped',
    `Projection "${name}" is not stopped${position === undefined ? '' : ` at event ${position}`}.`,
  );
