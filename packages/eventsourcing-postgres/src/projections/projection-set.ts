import { AppError } from '@junction/errors';
import type { Event, EventCodec } from '@junction/eventsourcing';
import type pg from 'pg';
import type { RowProjection } from './row-projection.js';

/** The read models of one service, and what it takes to rebuild them. */
export interface ProjectionSet<E extends Event> {
  readonly pool: pg.Pool;
  readonly codec: EventCodec<E>;
  /** Written in the transaction of the append, so that a request reads its own writes. */
  readonly inline: readonly RowProjection<E>[];
}

/** How many events a rebuild applies in one transaction. */
export const BATCH = 500;

/** The projection of that name, which is the name of its table. */
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
