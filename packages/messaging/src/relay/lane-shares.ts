/** Lanes of the outbox; the column is computed from the key when a row is inserted. */
export const LANES = 16;

export interface LaneLease {
  readonly lane: number;
  /** Undefined when nobody holds it or the lease ran out. */
  readonly holder: string | undefined;
}

export interface LaneShares {
  /** Held, and beyond the share: to be given up so that others can take them. */
  readonly surplus: readonly number[];
  /** Free, and within the share. */
  readonly wanted: readonly number[];
}

/**
 * What one relay should give up and take so that all live ones end up with equal shares. Each
 * decides alone, from the same rows: lanes stay where they are unless somebody has too many.
 */
export function laneShares(
  me: string,
  owners: readonly string[],
  leases: readonly LaneLease[],
): LaneShares {
  const place = [...new Set([...owners, me])].sort();
  const share =
    Math.floor(LANES / place.length) + (place.indexOf(me) < LANES % place.length ? 1 : 0);

  const mine = leases.filter(({ holder }) => holder === me).map(({ lane }) => lane);
  const free = leases.filter(({ holder }) => holder === undefined).map(({ lane }) => lane);
  return { surplus: mine.slice(share), wanted: free.slice(0, Math.max(0, share - mine.length)) };
}
