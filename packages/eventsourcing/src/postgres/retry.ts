import { retry } from '@junction/async';

const ATTEMPTS_MAX = 5;
const PAUSE_MS = 10;

/** Runs work again, at most five times with growing random pauses, while `isRetryable` returns true for its error. */
export const retried = async <T>(
  work: () => Promise<T>,
  isRetryable: (error: unknown) => boolean,
): Promise<T> => {
  const delayMs = (failures: number) => Math.random() * PAUSE_MS * 2 ** failures;
  return retry(work, { isRetryable, attemptsMax: ATTEMPTS_MAX, delayMs });
};

/** Returns whether Postgres rolled the transaction back so that another could go on: deadlock, serialization. */
export const isRolledBack = (error: unknown): boolean => ['40P01', '40001'].includes(codeOf(error));

const LOST = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT']);

/** Returns whether the connection is gone, so that nobody knows whether the statement was carried out. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  // 08: connection exception. 57P01 to 57P03: shut down, crashed, starting up.
  if (/^(08...|57P0[123])$/.test(code) || LOST.has(code)) return true;
  return code === '' && error instanceof Error && error.message.startsWith('Connection terminated');
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
