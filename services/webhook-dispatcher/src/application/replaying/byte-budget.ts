import { AppError } from '@junction/errors';

const KIB = 1_024;
const MIB = 1_024 * KIB;

/** Uses of a key within a window, counted over all replicas. */
export interface Uses {
  /** Counts uses; 0: only tells how many there are. */
  count(key: string, times: number): { readonly used: number; readonly resetMs: number };
}

export const BUDGET_WINDOWS = [
  { name: 'bytes-minute', windowS: 60, limit: 64 * MIB },
  { name: 'bytes-day', windowS: 24 * 3_600, limit: 4_096 * MIB },
] as const;

/** Part of each window that replays leave to single requests, or a long replay would keep its user from a test. */
const KEPT_FROM_REPLAYS = 1 / 4;

/** Standing of a user with one window, in bytes. */
export interface BudgetState {
  readonly name: string;
  readonly windowS: number;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the window ends. */
  readonly resetS: number;
}

/**
 * Bytes that each user may have sent, and stored, beyond what producers publish: by tests, redeliveries, probes and
 * replays. A request of a few bytes makes a delivery of many, to a url that need not be its user's.
 */
export type ByteBudget = ReturnType<typeof byteBudget>;

/** Creates the budget from the uses of each window, which are counted in KiB. */
export function byteBudget(uses: readonly Uses[]) {
  const windows = BUDGET_WINDOWS.map((window, n) => ({ ...window, use: uses[n] as Uses }));
  const stateOf = (userId: string): readonly BudgetState[] =>
    windows.map(({ use, ...window }) => {
      const { used, resetMs } = use.count(keyOf(window, userId), 0);
      const remaining = Math.max(0, window.limit - used * KIB);
      return { ...window, remaining, resetS: resetMs / 1_000 };
    });
  const add = (userId: string, bytes: number) => {
    for (const window of windows) window.use.count(keyOf(window, userId), Math.ceil(bytes / KIB));
  };

  return {
    stateOf,
    /** Counts bytes that a replay sends. */
    add,
    /** Counts bytes. @throws AppError `bytes_spent` when a window has fewer left: then none is counted */
    spend(userId: string, bytes: number) {
      const short = stateOf(userId).filter(({ remaining }) => remaining < bytes);
      if (short.length > 0) throw spent(Math.max(...short.map(({ resetS }) => resetS)));
      add(userId, bytes);
    },
    /** Returns the bytes that a replay of the user may still send, and the seconds until there are more. */
    leftForReplays(userId: string) {
      const left = stateOf(userId).map(({ limit, remaining, resetS }) => {
        return { bytes: remaining - limit * KEPT_FROM_REPLAYS, resetS };
      });
      return left.reduce((least, one) => (one.bytes < least.bytes ? one : least));
    },
  };
}

const keyOf = ({ name }: { readonly name: string }, userId: string) => `${name}/${userId}`;

const [MINUTE, DAY] = BUDGET_WINDOWS;

const spent = (retryAfterS: number): AppError =>
  new AppError(
    'bytes_spent',
    `Tests, redeliveries, probes and replays of a user may send ${MINUTE.limit / MIB} MiB in a minute and ${DAY.limit / MIB / KIB} GiB in a day. Wait, and ask again.`,
    { retryAfterS },
  );
