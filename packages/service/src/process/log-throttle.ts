const REPEAT_EVERY_MS = 60_000;

/** Calls `say` once for each reason, and again every minute: a log that repeats itself is not read. */
export function logThrottle(): (reason: string, say: () => void) => void {
  let last: { readonly reason: string; readonly atMs: number } | undefined;
  return (reason, say) => {
    const nowMs = performance.now();
    if (last?.reason === reason && nowMs - last.atMs < REPEAT_EVERY_MS) return;
    last = { reason, atMs: nowMs };
    say();
  };
}
