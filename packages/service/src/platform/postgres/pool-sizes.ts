/**
 * Size of the inner pool as a portion of the pool, and its minimum. Keys and the like are read in the middle of
 * transactions; if they came from the same pool, all transactions could wait for each other.
 */
const INNER_POOL_SHARE = 0.2;
const INNER_POOL_MIN = 2;
/** Portion of the pool that requests may hold: the rest is always left to consumers, the relay and the sending. */
const REQUESTS_SHARE = 0.5;
/** Portion of these that dear requests may hold, so that the others, and the checks of callers, have the rest. */
const DEAR_SHARE = 0.5;
/** Connections that are open only while an operator reads the whole store. */
const OPS_POOL_MAX = 2;
/** Connection on which the notifier listens. */
const LISTENING = 1;

/** Returns how many connections each pool of a replica may open, and how many of `all` (dear) requests may hold. */
export const poolSizes = (databasePoolMax: number) => ({
  all: databasePoolMax,
  requests: Math.ceil(databasePoolMax * REQUESTS_SHARE),
  dear: Math.max(1, Math.floor(databasePoolMax * REQUESTS_SHARE * DEAR_SHARE)),
  keys: Math.max(INNER_POOL_MIN, Math.floor(databasePoolMax * INNER_POOL_SHARE)),
  operators: OPS_POOL_MAX,
});

/** Returns how many connections a replica may open at most. */
export function connectionsOf(databasePoolMax: number): number {
  const { all, keys, operators } = poolSizes(databasePoolMax);
  return all + keys + operators + LISTENING;
}
