import { hashOf } from './random.js';

/** The row of a read model without its id: a stream counted up to one of its versions. */
export interface Count {
  readonly count: number;
  readonly sum: number;
  readonly version: number;
  /** Depends on every event and on their order. */
  readonly digest: string;
}

/** An event of a stream, as the fold needs it. */
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
