import { hashOf } from './random.js';

/** What is known of a stream after some of its events: the read models' row, without its id. */
export interface Count {
  readonly count: number;
  readonly sum: number;
  readonly version: number;
  /** Depends on every event and on their order. */
  readonly digest: string;
}

/** One event of a stream. */
export interface Counted {
  readonly request: string;
  readonly place: number;
  readonly amount: number;
}

/** The fold behind every read model here. */
export const counted = (
  before: Count | undefined,
  { request, place, amount }: Counted,
  version: number,
): Count => ({
  count: (before?.count ?? 0) + 1,
  sum: (before?.sum ?? 0) + amount,
  version,
  digest: hashOf(`${before?.digest ?? ''} ${request} ${place}`).toString(16),
});
