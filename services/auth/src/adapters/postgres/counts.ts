import { createHash } from 'node:crypto';
import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import { clientNetworks } from '@junction/service/http';

/** A number of points within a number of seconds. */
export interface Limit {
  readonly points: number;
  readonly windowS: number;
}

/** A limit of somebody or something. Its window begins with the first point. */
export interface Bound extends Limit {
  readonly name: string;
  readonly key: string;
}

/** How a bound stands. */
export interface Standing extends Bound {
  readonly used: number;
  /** Milliseconds until the window ends and nothing is used any more. */
  readonly leftMs: number;
}

const SECOND_MS = 1_000;
const ENDED_MAX = 1_000;
const NOW_MS = 'floor(extract(epoch from now()) * 1000)';

/** The key is a hash: the table must not say whose address was tried from where. */
export const boundOf = (name: string, limit: Limit, ...of: readonly string[]): Bound => ({
  ...limit,
  name,
  key: `${name}:${createHash('sha256').update(of.join('\n')).digest('base64url')}`,
});

/** Bounds of each network that an address is in; the wider ones have more points. */
export const boundsOfNetworks = (
  name: string,
  { points, windowS }: Limit,
  ip: string,
  ...of: readonly string[]
): readonly Bound[] =>
  clientNetworks(ip).map((network) =>
    boundOf(name, { points: points * network.times, windowS }, network.name, ...of),
  );

export const unused = (bound: Bound): Standing => ({
  ...bound,
  used: 0,
  leftMs: bound.windowS * SECOND_MS,
});

export const isReached = ({ used, points }: Standing): boolean => used >= points;

export async function look(db: Queryable, bounds: readonly Bound[]): Promise<readonly Standing[]> {
  const { rows } = await findCounts(db, { keys: keysOf(bounds) });
  return standings(bounds, rows);
}

/** How the bounds stand with so many points more. In the order of the keys, so that two never wait for each other. */
export async function raise(
  db: Queryable,
  bounds: readonly Bound[],
  points: number,
): Promise<readonly Standing[]> {
  const windows = bounds.map(({ windowS }) => windowS);
  const { rows } = await raiseCounts(db, { keys: keysOf(bounds), windows, points });
  return standings(bounds, rows);
}

/** Nothing is used of these any more. */
export async function clear(db: Queryable, bounds: readonly Bound[]): Promise<void> {
  await clearCounts(db, { keys: keysOf(bounds) });
}

/** Deletes some whose window is over. Rows that are being written are skipped. */
export async function deleteEnded(db: Queryable): Promise<void> {
  await deleteCounts(db);
}

interface CountRow {
  readonly key: string;
  readonly used: number;
  readonly leftMs: number;
}

const keysOf = (bounds: readonly Bound[]): readonly string[] => bounds.map(({ key }) => key);

const standings = (bounds: readonly Bound[], rows: readonly CountRow[]): readonly Standing[] =>
  bounds.map((bound) => {
    const row = rows.find(({ key }) => key === bound.key);
    return row === undefined ? unused(bound) : { ...bound, used: row.used, leftMs: row.leftMs };
  });

const findCounts = statement<CountRow>(
  `
select key, points as used, (expire - ${NOW_MS})::float8 as "leftMs"
  from attempts where key = any (:keys) and expire > ${NOW_MS}`,
  'auth/look-at-counts',
);

const raiseCounts = statement<CountRow>(
  `
insert into attempts as a (key, points, expire)
select key, :points::integer, ${NOW_MS} + window_s * ${SECOND_MS}
  from unnest(:keys::text[], :windows::integer[]) raised (key, window_s)
 order by key
on conflict (key) do update
   set points = excluded.points + case when a.expire <= ${NOW_MS} then 0 else a.points end,
       expire = case when a.expire <= ${NOW_MS} then excluded.expire else a.expire end
returning key, points as used, (expire - ${NOW_MS})::float8 as "leftMs"`,
  'auth/raise-counts',
);

const clearCounts = statement(
  `
delete from attempts where key in (
  select key from attempts where key = any (:keys) order by key for update)`,
  'auth/clear-counts',
);

const deleteCounts = statement(`
delete from attempts where key in (
  select key from attempts where expire <= ${NOW_MS}
   limit ${ENDED_MAX} for update skip locked)`);
