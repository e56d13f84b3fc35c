import { equalShareOf, type Held, leaseTable, members } from '@junction/eventsourcing/leases';
import type pg from 'pg';
import { LANES } from './outbox-rows.js';

const LANE_NUMBERS = Array.from({ length: LANES }, (_, lane) => lane);
/** Milliseconds that a relay counts longer than its leases: another relay that sees it gone finds its lanes free. */
const OUTLIVED_MS = 100;

export interface Renewal {
  readonly held: readonly Held<number>[];
  /** Lanes that are held beyond our portion, to be given up so that others can take them. */
  readonly surplus: readonly number[];
  /** Milliseconds until the first of the other relays is gone, unless it renews; Infinity without any. */
  readonly othersExpireInMs: number;
}

export interface LaneLeases {
  /** Renews what is held, takes free lanes of our portion, and returns what is held then. */
  renew(held: readonly number[]): Promise<Renewal>;
  /** Frees lanes at once, for the next relay that looks. */
  release(lanes: readonly number[]): Promise<void>;
  /** Gives up everything, and no longer counts when lanes are divided. */
  leave(): Promise<void>;
}

/**
 * Creates the lane leases of a relay. `me` must be new for each process: an owner that comes back would find its old
 * epochs.
 */
export function laneLeases(pool: pg.Pool, me: string, expiryMs: number): LaneLeases {
  const table = { table: 'relay_leases', key: 'lane', keyType: 'smallint' } as const;
  const leases = leaseTable<number>({ pool, owner: me, expiryMs, ...table });
  const relaysExpireMs = expiryMs + OUTLIVED_MS;
  const relays = members({ pool, owner: me, expiryMs: relaysExpireMs, table: 'relay_owners' });
  return {
    async renew(before) {
      const alive = await relays.announce({});
      const share = equalShareOf(me, LANE_NUMBERS, alive);
      const held = await leases.hold([...new Set([...share, ...before])]);
      const others = alive.filter(({ owner }) => owner !== me);
      return {
        held,
        surplus: held.map(({ key }) => key).filter((lane) => !share.includes(lane)),
        othersExpireInMs: Math.min(...others.map(({ expiresInMs }) => expiresInMs)),
      };
    },

    release: leases.release,

    async leave() {
      await Promise.all([relays.retire(), leases.leave()]);
    },
  };
}
