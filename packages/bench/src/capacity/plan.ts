import type { Figures } from '../suite.js';

/** Portion of a thread or a core that the plan uses. The rest absorbs the loss of a replica, and the peaks of a day. */
const USED_SHARE = 0.6;
const SECONDS_PER_DAY = 86_400;
const RETENTION_DAYS = 30;

/** Resources that a number of deliveries per second needs. */
export interface Plan {
  readonly replicas: number;
  readonly dispatcherCores: number;
  readonly postgresCores: number;
  readonly kafkaCores: number;
  readonly walMbPerS: number;
  readonly sentMbPerS: number;
  readonly storedGbPerDay: number;
  /** While deliveries are kept for RETENTION_DAYS, as they are unless that is set. */
  readonly storedTb: number;
}

/** Computes the plan from the figures of the suite `capacity`, in which each event leads to one delivery. */
export function planFor(perS: number, figures: Figures): Plan {
  const us = (part: string) => (perS * (figures[`delivery_${part}_us`] ?? Number.NaN)) / 1e6;
  const mb = (part: string) => (perS * (figures[`delivery_${part}_bytes`] ?? Number.NaN)) / 1e6;
  const storedGbPerDay = (mb('stored') * SECONDS_PER_DAY) / 1_000;
  return {
    // Garbage is collected while the thread that sends stands still.
    replicas: Math.ceil((us('sending') + us('helping')) / USED_SHARE),
    dispatcherCores: (us('sending') + us('helping')) / USED_SHARE,
    postgresCores: us('postgres') / USED_SHARE,
    kafkaCores: us('kafka') / USED_SHARE,
    walMbPerS: mb('wal'),
    sentMbPerS: mb('sent'),
    storedGbPerDay,
    storedTb: (storedGbPerDay * RETENTION_DAYS) / 1_000,
  };
}
