const REPEAT_EVERY_MS = 60_000;

interface Said {
  readonly reason: string;
  readonly atMs: number;
  /** Times that the same was not said since. */
  suppressed: number;
}

/**
 * Calls `say` once for each reason, and again every minute, with how often it was not called since: a log that repeats
 * itself is not read, and fills the disk.
 */
export function logThrottle(): (reason: string, say: (suppressed: number) => void) => void {
  let last: Said | undefined;
  return (reason, say) => {
    const nowMs = performance.now();
    const same = last?.reason === reason ? last : undefined;
    if (same !== undefined && nowMs - same.atMs < REPEAT_EVERY_MS) {
      same.suppressed++;
      return;
    }
    last = { reason, atMs: nowMs, suppressed: 0 };
    say(same?.suppressed ?? 0);
  };
}
