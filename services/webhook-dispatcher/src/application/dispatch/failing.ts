import type { AttemptRecord } from './job.js';

const CLIENT_ERRORS_THAT_COUNT = [408, 425, 429];

/**
 * Returns whether the attempt shows that the receiver is not well: slow, overloaded, broken, or refused by the egress
 * guard. A receiver that refuses what we send is alive.
 */
export function isFailing({ outcome, httpStatus }: Pick<AttemptRecord, 'outcome' | 'httpStatus'>) {
  if (outcome.kind === 'refused') return true;
  if (outcome.kind !== 'failed') return false;
  const isClientError = httpStatus !== null && httpStatus >= 400 && httpStatus < 500;
  return !isClientError || CLIENT_ERRORS_THAT_COUNT.includes(httpStatus);
}
