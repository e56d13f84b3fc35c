export interface Health {
  /** Adds a check, which answers false or throws when the service cannot do its work. */
  add(name: string, check: () => boolean | Promise<boolean>): void;
  /** Adds a check that counts until it has passed once: a service that has caught up at the start stays ready. */
  addOnce(name: string, check: () => boolean | Promise<boolean>): void;
  /** Makes the service not ready from now on, so that no new work is sent here. A stop does this first. */
  drain(): void;
  ready(): Promise<Readiness>;
}

export interface Readiness {
  readonly ready: boolean;
  /** Names only: what is wrong with them is for the log. */
  readonly failing: readonly string[];
}

const CHECK_TIMEOUT_MS = 2_000;

/** Creates the health of a service, which is ready when every check says so within two seconds. */
export function healthChecks(): Health {
  const checks = new Map<string, Check>();
  let draining = false;

  return {
    add: (name, check) => void checks.set(name, check),
    addOnce(name, check) {
      let hasPassed = false;
      checks.set(name, async () => {
        hasPassed ||= await check();
        return hasPassed;
      });
    },
    drain: () => {
      draining = true;
    },
    async ready() {
      const failing = await failingOf(checks);
      if (draining) failing.push('stopping');
      return { ready: failing.length === 0, failing };
    },
  };
}

type Check = () => boolean | Promise<boolean>;

async function failingOf(checks: ReadonlyMap<string, Check>): Promise<string[]> {
  const results = await Promise.all(
    [...checks].map(async ([name, check]) => ({ name, ok: await passes(check) })),
  );
  return results.filter(({ ok }) => !ok).map(({ name }) => name);
}

async function passes(check: Check): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([Promise.resolve().then(check), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
