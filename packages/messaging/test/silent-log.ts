import type { Log } from '../src/log.js';

/** For tests: what they need to know they see in their results. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
