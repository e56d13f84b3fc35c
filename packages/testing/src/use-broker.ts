import { randomBytes } from 'node:crypto';
import { fromTestStack, jestHooks } from './jest-hooks.js';

const CLEANUP_MS = 30_000;

/** A broker that is shared, and a corner of it that is not. */
export interface TestBroker {
  readonly brokers: string[];
  /** Begins the name of every topic of this test file; they are deleted after it. */
  readonly prefix: string;
}

/** The broker for a test file. */
export function useBroker(): TestBroker {
  const brokers = fromTestStack('KAFKA_BROKERS').split(',');
  const prefix = `t${randomBytes(6).toString('hex')}.`;
  jestHooks().afterAll(async () => {
    const [broker] = brokers;
    const { deleteTopics } = await import('@junction/local-stack');
    if (broker !== undefined) await deleteTopics(broker, prefix);
  }, CLEANUP_MS);
  return { brokers, prefix };
}
