import { toAppError } from '../errors/to-app-error.js';
import type { Logger } from '../process/logging/logger.js';

/** Logs what is our failure and not the caller's, with its cause, which never leaves the process. */
export function reportFailure(log: Logger, rpc: string, error: unknown): void {
  const { kind } = toAppError(error);
  if (kind === 'internal') log.error({ err: error, rpc }, 'call failed');
  else if (kind === 'unavailable') log.warn({ err: error, rpc }, 'call could not be served');
}
