import { randomUUID } from 'node:crypto';
import type { Backends } from '@junction/local-stack';
import { certificateAuthority } from '@junction/testing';
import { until } from '../clock.js';
import { withClosing } from '../closing.js';
import type { Stack } from '../own-stack.js';
import { type ServiceWorld, serviceWorld } from '../service-world.js';
import type { BenchRun } from '../suite.js';
import { configure } from './configure.js';
import { newUsers } from './events.js';
import { type Receiver, startReceiver } from './receiver.js';

const SETTLED_WITHIN_MS = 300_000;

/** The dispatcher, and the endpoints it delivers to. */
export interface World extends ServiceWorld {
  readonly backends: Backends;
  readonly receiver: Receiver;
  /** The PEM of the authority that signs the receiver's certificate. */
  readonly authorityFile: string;
  /** The Node that runs what is measured. */
  readonly node: string;
  /** New users with a webhook each at this server. */
  usersAt(url: string, count: number): Promise<readonly string[]>;
  /** Resolves when nothing waits for an attempt now. */
  settled(): Promise<void>;
}

const measured = (authorityFile: string) => ({
  name: 'webhook-dispatcher',
  databaseVariable: 'WEBHOOKS_DATABASE_URL',
  nodeOptionsVariable: 'DISPATCHER_NODE_OPTIONS',
  env: { WEBHOOK_CA_FILE: authorityFile },
});

/** Runs work in a world that is ended after it, also when it fails. */
export const withWorld = <T>(
  run: BenchRun,
  stack: Stack,
  backends: Backends,
  work: (world: World) => Promise<T>,
): Promise<T> =>
  withClosing(async (open) => {
    const authority = await certificateAuthority();
    open(() => authority.close());
    const receiver = await startReceiver(authority, run.signal);
    open(() => receiver.close());
    const service = await serviceWorld(run, stack, measured(authority.file), open);
    return work({
      ...service,
      backends,
      receiver,
      authorityFile: authority.file,
      node: process.execPath,
      async usersAt(url, count) {
        const users = newUsers(count);
        const dispatcher = await service.start();
        const requests = users.map((userId) => ({ userId, url: `${url}/hooks/${randomUUID()}` }));
        await configure(dispatcher, service.issuer, requests);
        await dispatcher.end('SIGTERM');
        return users;
      },
      settled: () => settled(service),
    });
  });

async function settled({ pool, run: { signal } }: ServiceWorld): Promise<void> {
  const nothingIsDue = async () => {
    const { rowCount } = await pool.query('select from pending where next_at <= now() limit 1');
    return rowCount === 0 ? true : undefined;
  };
  const patience = { deadlineMs: SETTLED_WITHIN_MS, signal };
  await until('Writing what was delivered', nothingIsDue, patience);
}
