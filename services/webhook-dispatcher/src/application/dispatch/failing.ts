import type { AttemptRecord } from './job.js';

const CLIENT_ERRORS_THAT_COUNT = [408, 425, 429];

/**
 * A receiver that refuses what we send is alive; one that is slow, overloaded or broken is not well, nor is one that
 * the egress guard keeps us from.
 */
export function isFailing({ outcome, httpStatus }: Pick<AttemptRecord, 'outcome' | 'httpStatus'>) {
  if (outcome.kind === 'refused') return true;
  if (outcome.kind !== 'failed') return false;
  const isClientError = httpStatus !== null && httpStatus >= 400 && httpStatus < 500;
  return !isClientError || CLIENT_ERRORS_THAT_COUNT.includes(httpStatus);
}
