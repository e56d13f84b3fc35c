import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import type { Backends } from '@junction/local-stack';
import { kafkaClient, type ProducerPort, TOPICS } from '@junction/messaging';
import { certificateAuthority, startTokenIssuer, type TokenIssuer } from '@junction/testing';
import pg from 'pg';
import { until } from '../clock.js';
import type { Stack } from '../own-stack.js';
import { migrateService, type ServiceProcess, startService } from '../service-process.js';
import type { BenchRun } from '../suite.js';
import { configure } from './configure.js';
import { newUsers } from './events.js';
import { type Receiver, startReceiver } from './receiver.js';

const PUBLIC_URL = 'http://localhost:8080';
/** As many as one event goes to in the part that fans out. */
export const FAN_OUT = 100;
const SETTLED_WITHIN_MS = 300_000;

/** All that a dispatcher needs around it, and the endpoints it delivers to. */
export interface World {
  readonly run: BenchRun;
  readonly backends: Backends;
  /** Of the dispatcher's database. */
  readonly pool: pg.Pool;
  readonly producer: ProducerPort;
  readonly receiver: Receiver;
  readonly issuer: TokenIssuer;
  startDispatcher(): Promise<ServiceProcess>;
  /** New users, `each` of them with so many webhooks at this server. */
  usersAt(url: string, count: number, each?: number): Promise<readonly string[]>;
  /** Resolves when nothing waits for an attempt now. */
  settled(): Promise<void>;
}

type Open = (close: () => unknown) => void;

/** Runs work in a world that is ended after it, also when it fails. */
export async function withWorld<T>(
  run: BenchRun,
  stack: Stack,
  backends: Backends,
  work: (world: World) => Promise<T>,
): Promise<T> {
  const opened: (() => unknown)[] = [];
  try {
    return await work(await worldOf(run, stack, backends, (close) => void opened.push(close)));
  } finally {
    for (const close of opened.toReversed()) await close();
  }
}

async function worldOf(
  run: BenchRun,
  stack: Stack,
  backends: Backends,
  open: Open,
): Promise<World> {
  const { signal } = run;
  const databaseUrl = await stack.createDatabase();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => undefined); // the query that meets it rejects
  open(() => pool.end());
  const producer = await producerAt(stack.brokers);
  open(() => producer.close());
  const issuer = await startTokenIssuer(PUBLIC_URL);
  open(() => issuer.close());
  const authority = await certificateAuthority();
  open(() => authority.close());
  const receiver = await startReceiver(keyFolder(open), authority, signal);
  open(() => receiver.close());

  const env = environment(run, { databaseUrl, stack, issuer, caFile: authority.file });
  const nodeOptions = (run.env['DISPATCHER_NODE_OPTIONS'] ?? '').split(' ').filter(Boolean);
  const service = { name: 'webhook-dispatcher', env, nodeOptions, signal };
  await migrateService(service);
  const start = async () => {
    const dispatcher = await startService(service);
    open(() => dispatcher.end('SIGKILL'));
    return dispatcher;
  };
  return {
    run,
    backends,
    pool,
    producer,
    receiver,
    issuer,
    startDispatcher: start,
    async usersAt(url, count, each = 1) {
      const users = newUsers(count);
      const one = (userId: string) => ({ userId, url: `${url}/hooks/${randomUUID()}` });
      const dispatcher = await start();
      const wishes = users.flatMap((userId) => Array.from({ length: each }, () => one(userId)));
      await configure(dispatcher, issuer, wishes);
      await dispatcher.end('SIGTERM');
      return users;
    },
    settled: () => settled(pool, signal),
  };
}

function keyFolder(open: Open): string {
  const folder = mkdtempSync('/var/tmp/junction-bench-keys-');
  chmodSync(folder, 0o700);
  open(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function producerAt(brokers: readonly string[]): Promise<ProducerPort> {
  const nothing = () => undefined;
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const kafka = kafkaClient({ brokers, clientId: 'bench', log });
  await kafka.admin().ensureTopics(TOPICS, '');
  return kafka.producer();
}

interface Places {
  readonly databaseUrl: string;
  readonly stack: Stack;
  readonly issuer: TokenIssuer;
  readonly caFile: string;
}

const environment = (
  { env }: BenchRun,
  { databaseUrl, stack, issuer, caFile }: Places,
): NodeJS.ProcessEnv => ({
  PATH: env['PATH'],
  JUNCTION_ENV: 'development',
  LOG_LEVEL: 'error',
  ALLOW_HTTP_PUBLIC_URL: 'true',
  GRPC_PLAINTEXT: 'true',
  KAFKA_PLAINTEXT: 'true',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  WEBHOOK_CA_FILE: caFile,
  WEBHOOKS_PER_USER_MAX: String(FAN_OUT),
  PUBLIC_URL,
  KAFKA_BROKERS: stack.brokers.join(','),
  WEBHOOKS_DATABASE_URL: databaseUrl,
  VAULT_KEYS: `k1:${randomBytes(32).toString('base64url')}`,
  AUTH_JWKS_URL: issuer.jwksUrl,
  AUTH_TOKEN_URL: 'http://127.0.0.1:9/oauth/token', // nobody: no token of its own is needed
  AUTH_GRPC_ADDRESS: issuer.grpcAddress,
  SERVICE_CLIENT_ID: 'cli_dispatcher',
  SERVICE_CLIENT_SECRET: randomBytes(16).toString('hex'),
  STOP_DELAY_MS: '0',
});

const settled = (pool: pg.Pool, signal: AbortSignal): Promise<void> =>
  until(
    'Writing what was delivered',
    async () => {
      const { rowCount } = await pool.query('select from pending where next_at <= now() limit 1');
      return rowCount === 0 ? true : undefined;
    },
    { deadlineMs: SETTLED_WITHIN_MS, signal },
  ).then(() => undefined);
