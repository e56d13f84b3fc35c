/**
 * How long the start took whoever waited for it: since this process began, and so with what it
 * installed and built before this module could be loaded.
 */
export const startedIn = (): string => `${(performance.now() / 1_000).toFixed(1)} s`;
