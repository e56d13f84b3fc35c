import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { kafkaClient, TOPICS } from '@junction/messaging';
import { startTokenIssuer, type TokenIssuer } from '@junction/testing';
import pg from 'pg';
import type { Stack } from '../own-stack.js';
import { migrateService, startService } from '../service-process.js';
import type { BenchRun } from '../suite.js';
import { type Provider, type ProviderOptions, startProvider } from './provider.js';
import { type Replica, replica } from './replica.js';

const PUBLIC_URL = 'http://localhost:8080';
const PROVIDERS_FILE = path.resolve(
  import.meta.dirname,
  '../../../../infra/providers.development.yaml',
);

/** All that integrations needs around it. */
export interface World {
  readonly run: BenchRun;
  /** Of the service's database. */
  readonly pool: pg.Pool;
  readonly provider: Provider;
  start(): Promise<Replica>;
}

type Open = (close: () => unknown) => void;

/** Runs work in a world that is ended after it, also when it fails. */
export async function withWorld<T>(
  run: BenchRun,
  stack: Stack,
  options: ProviderOptions,
  work: (world: World) => Promise<T>,
): Promise<T> {
  const opened: (() => unknown)[] = [];
  try {
    return await work(await worldOf(run, stack, options, (close) => void opened.push(close)));
  } finally {
    for (const close of opened.toReversed()) await close();
  }
}

async function worldOf(
  run: BenchRun,
  stack: Stack,
  options: ProviderOptions,
  open: Open,
): Promise<World> {
  const { signal } = run;
  const databaseUrl = await stack.createDatabase();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => undefined); // the query that meets it rejects
  open(() => pool.end());
  await makeTopics(stack.brokers);
  const issuer = await startTokenIssuer(PUBLIC_URL);
  open(() => issuer.close());
  const provider = await startProvider(options, signal);
  open(() => provider.close());

  const env = environment(run, { databaseUrl, stack, issuer, provider });
  const nodeOptions = (run.env['INTEGRATIONS_NODE_OPTIONS'] ?? '').split(' ').filter(Boolean);
  const service = { name: 'integrations', env, nodeOptions, signal };
  await migrateService(service);
  return {
    run,
    pool,
    provider,
    async start() {
      const started = replica(await startService(service), issuer);
      open(() => started.end('SIGTERM'));
      return started;
    },
  };
}

async function makeTopics(brokers: readonly string[]): Promise<void> {
  const nothing = () => undefined;
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  await kafkaClient({ brokers, clientId: 'bench', log }).admin().ensureTopics(TOPICS, '');
}

interface Places {
  readonly databaseUrl: string;
  readonly stack: Stack;
  readonly issuer: TokenIssuer;
  readonly provider: Provider;
}

const environment = (
  { env }: BenchRun,
  { databaseUrl, stack, issuer, provider }: Places,
): NodeJS.ProcessEnv => ({
  PATH: env['PATH'],
  JUNCTION_ENV: 'development',
  LOG_LEVEL: 'error',
  ALLOW_HTTP_PUBLIC_URL: 'true',
  ALLOW_HTTP_ISSUER: 'true',
  GRPC_PLAINTEXT: 'true',
  KAFKA_PLAINTEXT: 'true',
  PUBLIC_URL,
  KAFKA_BROKERS: stack.brokers.join(','),
  INTEGRATIONS_DATABASE_URL: databaseUrl,
  VAULT_KEYS: `k1:${randomBytes(32).toString('base64url')}`,
  PROVIDERS_FILE,
  DEV_PROVIDER_ISSUER: provider.issuer,
  MAILBOX_CLIENT_SECRET: randomBytes(16).toString('hex'),
  CALENDAR_CLIENT_SECRET: randomBytes(16).toString('hex'),
  AUTH_JWKS_URL: issuer.jwksUrl,
  AUTH_TOKEN_URL: 'http://127.0.0.1:9/oauth/token', // nobody: no token of its own is needed
  AUTH_GRPC_ADDRESS: issuer.grpcAddress,
  SERVICE_CLIENT_ID: 'cli_integrations',
  SERVICE_CLIENT_SECRET: randomBytes(16).toString('hex'),
  STOP_DELAY_MS: '0',
});
