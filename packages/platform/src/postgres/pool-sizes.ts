/**
 * Of the pool, but at least two: keys and the like are read in the middle of transactions, where from the same pool
 * all could wait for each other.
 */
const INNER_POOL_SHARE = 0.2;
const INNER_POOL_MIN = 2;
/** Share of the pool that requests may hold: the rest is always left to consumers, the relay and the sending. */
const REQUESTS_SHARE = 0.5;
/** Connections that are open only while an operator has the whole store looked at. */
const OPS_POOL_MAX = 2;
/** The notifier listens on one of its own. */
const LISTENING = 1;

/** How many connections each pool of a replica may open, of DATABASE_POOL_MAX, and requests may hold of `all`. */
export const poolSizes = (databasePoolMax: number) => ({
  all: databasePoolMax,
  requests: Math.ceil(databasePoolMax * REQUESTS_SHARE),
  keys: Math.max(INNER_POOL_MIN, Math.floor(databasePoolMax * INNER_POOL_SHARE)),
  operators: OPS_POOL_MAX,
});

/** All connections that a replica may open. */
export function connectionsOf(databasePoolMax: number): number {
  const { all, keys, operators } = poolSizes(databasePoolMax);
  return all + keys + operators + LISTENING;
}
