import { AppError } from '@junction/errors';
import type { Event, EventCodec } from '@junction/eventsourcing';
import type pg from 'pg';
import type { Notifier } from '../notifier.js';
import type { RowProjection } from '../row-projection.js';

/** The read models of one service, and what it takes to work at them. */
export interface ProjectionSet<E extends Event> {
  readonly pool: pg.Pool;
  readonly codec: EventCodec<E>;
  readonly notifier: Notifier;
  /** Written in the transaction of the append, so that a request reads its own writes. */
  readonly inline: readonly RowProjection<E>[];
  /**
   * Written afterwards, by one of the replicas. Their tables have no unique index but that of the key:
   * what one stream gives up and another takes over may be seen in the other order.
   */
  readonly asynchronous: readonly RowProjection<E>[];
}

export type ProjectionMode = 'inline' | 'asynchronous';

/** What those who work at projections, and those who decide about them, call each other for. */
export const PROJECTIONS = 'projections';

/** How many events are applied at once: one transaction, with the checkpoint. */
export const BATCH = 500;

/** The projection of that name, which is the name of its table. */
export function projectionNamed<E extends Event>(
  { inline, asynchronous }: Pick<ProjectionSet<E>, 'inline' | 'asynchronous'>,
  name: string,
): { readonly projection: RowProjection<E>; readonly mode: ProjectionMode } {
  const isNamed = ({ table }: RowProjection<E>): boolean => table === name;
  const inlined = inline.find(isNamed);
  if (inlined) return { projection: inlined, mode: 'inline' };
  const projection = asynchronous.find(isNamed);
  if (projection) return { projection, mode: 'asynchronous' };

  const names = [...inline, ...asynchronous].map(({ table }) => table).join(', ');
  throw new AppError(
    'not_found',
    'projection_not_found',
    `There is no projection "${name}". There are: ${names || 'none'}.`,
  );
}
