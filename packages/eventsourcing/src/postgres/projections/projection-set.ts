import { AppError } from '@junction/errors';
import type pg from 'pg';
import type { Event, EventCodec } from '../../index.js';
import type { RowProjection } from './row-projection.js';

/** Read models of one service, with all that a rebuild needs. */
export interface ProjectionSet<E extends Event> {
  readonly pool: pg.Pool;
  readonly codec: EventCodec<E>;
  /** Projections that are written in the transaction of the append, so that a request reads its own writes. */
  readonly inline: readonly RowProjection<E>[];
}

/** Number of events that a rebuild applies in one transaction. */
export const BATCH = 500;

/** Returns the projection with this name, which is the name of its table. */
export function projectionNamed<E extends Event>(
  { inline }: Pick<ProjectionSet<E>, 'inline'>,
  name: string,
): RowProjection<E> {
  const projection = inline.find(({ table }) => table === name);
  if (projection) return projection;

  const names = inline.map(({ table }) => table).join(', ');
  throw new AppError(
    'projection_not_found',
    `There is no projection "${name}". There are: ${names || 'none'}.`,
  );
}
