/** Renews leases: one renewal at a time, none after the end. */
export function keepRenewed(renewOnce: () => Promise<void>, onError: (error: unknown) => void) {
  let stopped = false;
  let renewing: Promise<void> | undefined;
  return {
    /** Begins a renewal, unless one is under way. */
    renew(): void {
      if (stopped) return;
      renewing ??= renewOnce()
        .catch(onError)
        .finally(() => {
          renewing = undefined;
        });
    },
    /** Resolves when none is under way any more. */
    async stop(): Promise<void> {
      stopped = true;
      await renewing;
    },
  };
}
