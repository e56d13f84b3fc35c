import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync } from 'node:fs';
import {
  type Backends,
  createServiceDatabase,
  deleteData,
  startBackends,
} from '@junction/local-stack';
import type { BenchRun } from './suite.js';

/** A Postgres and a Kafka for one suite. */
export interface Stack {
  readonly brokers: readonly string[];
  /** An empty database; the address is its owner's. */
  createDatabase(): Promise<string>;
}

/** The databases of servers that are there already. */
export const stackAt = (adminUrl: string, kafkaBrokers: string): Stack => ({
  brokers: kafkaBrokers.split(','),
  createDatabase() {
    const name = `bench_${randomBytes(6).toString('hex')}`;
    const password = randomBytes(16).toString('hex');
    return createServiceDatabase(adminUrl, { database: name, role: name, password });
  },
});

/** Variables that name servers, removed from the environment: `startBackends` starts only servers without a name. */
const NOTHING_SHARED = {
  AUTH_DATABASE_URL: undefined,
  INTEGRATIONS_DATABASE_URL: undefined,
  WEBHOOKS_DATABASE_URL: undefined,
  KAFKA_BROKERS: undefined,
};

/**
 * Runs work on servers of its own, set up as `npm start` does it: commits wait for the disk. The servers and their
 * data are gone afterwards, also when the work fails or is called off.
 */
export async function withStack<T>(
  { env, say, signal }: BenchRun,
  work: (stack: Stack, backends: Backends) => Promise<T>,
): Promise<T> {
  // The user that Postgres runs as must be able to pass through.
  const dataDir = mkdtempSync('/var/tmp/junction-bench-');
  chmodSync(dataDir, 0o711);
  try {
    const servers = { ...env, ...NOTHING_SHARED };
    const backends = await startBackends({ dataDir, env: servers, say, signal });
    try {
      const stack = stackAt(backends.postgres?.adminUrl ?? '', backends.kafkaBrokers);
      return await Promise.race([work(stack, backends), calledOff(signal)]);
    } finally {
      await backends.stop();
    }
  } finally {
    deleteData(dataDir);
  }
}

const calledOff = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
