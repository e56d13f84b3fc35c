import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import type pg from 'pg';
import { type Open, withClosing } from '../closing.js';
import { ask, ended, startChild } from '../dispatch/ask.js';
import type { Stack } from '../own-stack.js';
import { serviceWorld } from '../service-world.js';
import type { BenchRun } from '../suite.js';
import { type Replica, replica, type Vend } from './replica.js';
import { startRowServer } from './row-server.js';

const PROVIDERS_FILE = path.resolve(
  import.meta.dirname,
  '../../../../infra/providers.development.yaml',
);

const PROVIDER = path.join(import.meta.dirname, 'provider-process.js');

/** Integrations beside a provider that answers at once. */
export interface World {
  readonly run: BenchRun;
  readonly open: Open;
  start(): Promise<Replica>;
  /** Connections to the database of integrations. */
  readonly pool: pg.Pool;
  /** Has the provider refuse every refresh from then on. */
  refuseRefreshes(): Promise<void>;
  /** A server that reads one row for each call, for these users. */
  startRowServer(users: readonly string[]): Promise<Vend>;
}

/** Runs work in a world that is ended after it, also when it fails. */
export const withWorld = <T>(
  run: BenchRun,
  stack: Stack,
  work: (world: World) => Promise<T>,
): Promise<T> =>
  withClosing(async (open) => {
    const provider = startChild(PROVIDER);
    open(() => ended(provider, () => provider.kill('SIGTERM')));
    const [issuer] = (await once(provider, 'message', { signal: run.signal })) as [string];
    const measured = {
      name: 'integrations',
      databaseVariable: 'INTEGRATIONS_DATABASE_URL',
      nodeOptionsVariable: 'INTEGRATIONS_NODE_OPTIONS',
      env: {
        PROVIDERS_FILE,
        ACME_ISSUER: issuer,
        ACME_MAILBOX_CLIENT_SECRET: randomBytes(16).toString('hex'),
        ACME_CALENDAR_CLIENT_SECRET: randomBytes(16).toString('hex'),
        // Not asked: nobody connects anything there.
        GLOBEX_ISSUER: issuer,
        GLOBEX_MAILBOX_CLIENT_SECRET: randomBytes(16).toString('hex'),
        GLOBEX_CALENDAR_CLIENT_SECRET: randomBytes(16).toString('hex'),
      },
    };
    const { start, pool, issuer: tokens } = await serviceWorld(run, stack, measured, open);
    return work({
      run,
      open,
      pool,
      async start() {
        const started = replica(await start(), tokens);
        open(() => started.end('SIGTERM'));
        return started;
      },
      refuseRefreshes: () => ask(provider, { refusesRefreshes: true }),
      async startRowServer(users) {
        const databaseUrl = await stack.createDatabase();
        return startRowServer({ databaseUrl, users, issuer: tokens, signal: run.signal }, open);
      },
    });
  });
