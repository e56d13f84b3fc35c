import { randomBytes } from 'node:crypto';
import {
  type AdminPort,
  kafkaClient,
  type ProducerPort,
  silentLog,
  TOPICS,
} from '@junction/messaging';
import { startTokenIssuer, type TokenIssuer } from '@junction/testing';
import pg from 'pg';
import type { Open } from './closing.js';
import type { Stack } from './own-stack.js';
import { migrateService, type ServiceProcess, startService } from './service-process.js';
import type { BenchRun } from './suite.js';

const PUBLIC_URL = 'http://localhost:8080';

/** A service with everything around it that it needs, and the ways in which a suite uses it. */
export interface ServiceWorld {
  readonly run: BenchRun;
  /** Connections to the service's database. */
  readonly pool: pg.Pool;
  readonly admin: AdminPort;
  readonly producer: ProducerPort;
  readonly issuer: TokenIssuer;
  readonly brokers: readonly string[];
  readonly open: Open;
  /** Starts a replica, on the Node that the bench runs on. */
  start(): Promise<ServiceProcess>;
  /** Starts a replica on this Node. */
  startOn(node: string): Promise<ServiceProcess>;
}

export interface MeasuredService {
  /** The name of its folder. */
  readonly name: string;
  /** The variable that names its database. */
  readonly databaseVariable: string;
  /** The variable whose content goes to its node, such as --cpu-prof. */
  readonly nodeOptionsVariable: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Migrates a database of its own for the service, and makes its topics. */
export async function serviceWorld(
  run: BenchRun,
  stack: Stack,
  measured: MeasuredService,
  open: Open,
): Promise<ServiceWorld> {
  const { signal } = run;
  const databaseUrl = await stack.createDatabase();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => undefined); // the query that meets it rejects
  open(() => pool.end());
  const kafka = kafkaClient({ brokers: stack.brokers, clientId: 'bench', log: silentLog });
  const admin = kafka.admin();
  await admin.ensureTopics(TOPICS);
  const producer = await kafka.producer();
  open(() => producer.close());
  const issuer = await startTokenIssuer(PUBLIC_URL);
  open(() => issuer.close());

  const service = {
    name: measured.name,
    env: {
      ...environment(run, stack, issuer),
      [measured.databaseVariable]: databaseUrl,
      ...measured.env,
    },
    nodeOptions: (run.env[measured.nodeOptionsVariable] ?? '').split(' ').filter(Boolean),
    signal,
  };
  await migrateService(service);
  const startOn = async (node: string) => {
    const started = await startService({ ...service, node });
    open(() => started.end('SIGKILL'));
    return started;
  };
  const start = async () => startOn(process.execPath);
  return { run, pool, admin, producer, issuer, brokers: stack.brokers, open, start, startOn };
}

const environment = ({ env }: BenchRun, { brokers }: Stack, issuer: TokenIssuer) => ({
  PATH: env['PATH'],
  JUNCTION_ENV: 'development',
  LOG_LEVEL: 'error',
  PUBLIC_URL,
  KAFKA_BROKERS: brokers.join(','),
  VAULT_KEYS: `k1:${randomBytes(32).toString('base64url')}`,
  AUTH_JWKS_URL: issuer.jwksUrl,
  AUTH_TOKEN_URL: 'http://127.0.0.1:9/oauth/token', // nothing listens: no token of its own is needed
  AUTH_GRPC_ADDRESS: issuer.grpcAddress,
  SERVICE_CLIENT_ID: 'cli_bench',
  SERVICE_CLIENT_SECRET: randomBytes(16).toString('hex'),
  STOP_DELAY_MS: '0',
  ...(env['DATABASE_POOL_MAX'] && { DATABASE_POOL_MAX: env['DATABASE_POOL_MAX'] }),
});
