/**
 * Interval of the checks of a connection. With the rest between two turns, a revocation at the provider is noticed
 * within a minute.
 */
export const CHECK_EVERY_MS = 50_000;
