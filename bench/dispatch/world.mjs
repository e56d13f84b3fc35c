// A dispatcher with everything around it: Postgres and Kafka as `npm start` has them, keys of auth, and
// receivers. All of it on 127.0.0.1, in a folder that is gone afterwards.
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  createServiceDatabase,
  freePort,
  startBackends,
} from '../../packages/local-stack/dist/index.js';
import { kafkaClient, TOPICS } from '../../packages/messaging/dist/index.js';
import { certificateAuthority, startTokenIssuer } from '../../packages/testing/dist/index.js';

const ROOT = path.join(import.meta.dirname, '../..');
const MAIN = path.join(ROOT, 'services/webhook-dispatcher/dist/src/main.js');
const PROBE = path.join(import.meta.dirname, 'probe.mjs');
const PUBLIC_URL = 'http://localhost:8080';
const READY_WITHIN_MS = 60_000;
const CONFIGURE_AT_ONCE = 8;
const log = { debug() {}, info() {}, warn() {}, error() {} };

export const nowMs = () => performance.timeOrigin + performance.now();

/** Waits until `isDone` gives something true, and gives that. Throws when it takes too long. */
export async function until(what, isDone, deadlineMs, everyMs = 20) {
  const endMs = nowMs() + deadlineMs;
  for (;;) {
    const answer = await isDone();
    if (answer) return answer;
    if (nowMs() > endMs) throw new Error(`${what} took longer than ${deadlineMs / 1_000} s.`);
    await sleep(everyMs);
  }
}

/** Starts all but the dispatcher. `close` ends whatever was started, also after a failure. */
export async function openWorld(say) {
  const dataDir = mkdtempSync('/var/tmp/junction-bench-');
  chmodSync(dataDir, 0o711); // as root, Postgres runs as somebody else
  const open = [() => rmSync(dataDir, { recursive: true, force: true })];
  const close = async () => {
    for (const end of open.splice(0).toReversed()) await end();
  };
  try {
    return { ...(await started(dataDir, open, say)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function started(dataDir, open, say) {
  const backends = await startBackends({ dataDir, env: { PATH: process.env.PATH }, say });
  open.push(() => backends.stop());
  const databaseUrl = await createServiceDatabase(backends.postgres.adminUrl, {
    database: 'bench',
    role: 'bench',
    password: randomBytes(16).toString('hex'),
  });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  open.push(() => pool.end());

  const kafka = kafkaClient({ brokers: [backends.kafkaBrokers], clientId: 'bench', log });
  await until(
    'Making the topics',
    () =>
      kafka
        .admin()
        .ensureTopics(TOPICS, '')
        .then(() => true),
    30_000,
  );
  const producer = await kafka.producer();
  open.push(() => producer.close());

  const issuer = await startTokenIssuer(PUBLIC_URL);
  open.push(() => issuer.close());
  const authority = await certificateAuthority();
  open.push(() => authority.close());
  const receiver = await startReceiver(dataDir, authority);
  open.push(() => receiver.close());

  const env = environment({ databaseUrl, issuer, authority, brokers: backends.kafkaBrokers });
  await migrate(env);
  const replicas = new Set();
  open.push(async () => void (await Promise.all([...replicas].map((one) => one.end('SIGKILL')))));
  return {
    backends,
    pool,
    kafka,
    producer,
    issuer,
    receiver,
    startDispatcher: (overrides = {}) => startDispatcher({ ...env, ...overrides }, replicas),
    /** Webhooks at these urls, each of the user beside it. Resolves when all are there. */
    configure: (dispatcher, wishes) => configure(dispatcher, issuer, wishes),
  };
}

const environment = ({ databaseUrl, issuer, authority, brokers }) => ({
  PATH: process.env.PATH,
  JUNCTION_ENV: 'development',
  LOG_LEVEL: 'error',
  ALLOW_HTTP_PUBLIC_URL: 'true',
  GRPC_PLAINTEXT: 'true',
  KAFKA_PLAINTEXT: 'true',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  WEBHOOK_CA_FILE: authority.file,
  PUBLIC_URL,
  KAFKA_BROKERS: brokers,
  WEBHOOKS_DATABASE_URL: databaseUrl,
  VAULT_KEYS: `k1:${randomBytes(32).toString('base64url')}`,
  AUTH_JWKS_URL: issuer.jwksUrl,
  AUTH_TOKEN_URL: 'http://127.0.0.1:9/oauth/token',
  AUTH_GRPC_ADDRESS: issuer.grpcAddress,
  SERVICE_CLIENT_ID: 'cli_dispatcher',
  SERVICE_CLIENT_SECRET: randomBytes(16).toString('hex'),
  STOP_DELAY_MS: '0',
});

async function migrate(env) {
  const child = spawn(process.execPath, [MAIN, 'migrate'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The migration ended with ${code}.`);
}

async function startDispatcher(env, replicas) {
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const argv = (process.env.BENCH_NODE_OPTIONS ?? '').split(' ').filter(Boolean);
  const child = spawn(process.execPath, [...argv, '--import', PROBE, MAIN], {
    env: { ...env, HTTP_PORT: String(httpPort), GRPC_PORT: String(grpcPort) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = `http://127.0.0.1:${httpPort}`;
  const exited = once(child, 'exit');
  const replica = {
    url,
    used: () => asked(child),
    async end(signal) {
      child.kill(signal);
      await exited;
      replicas.delete(replica);
    },
  };
  replicas.add(replica);
  const isReady = () =>
    fetch(`${url}/internal/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('The start of a dispatcher', isReady, READY_WITHIN_MS);
  return replica;
}

async function asked(child, message = 'used') {
  const answer = once(child, 'message');
  child.send(message);
  return (await answer)[0];
}

async function startReceiver(dataDir, authority) {
  const { key, cert } = await authority.issue();
  const files = Object.entries({ key, cert }).map(([name, text]) => {
    const file = path.join(dataDir, `receiver.${name}`);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  });
  const child = spawn(
    process.execPath,
    [path.join(import.meta.dirname, 'receiver.mjs'), ...files],
    {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    },
  );
  const [ports] = await once(child, 'message');
  const seen = (options = {}) => asked(child, { ask: 'seen', ...options });
  return {
    plainUrl: `http://127.0.0.1:${ports.plain}`,
    tlsUrl: `https://localhost:${ports.tls}`,
    hungUrl: `http://127.0.0.1:${ports.hung}`,
    seen,
    /** Counts from 0; with `measure` also keeps each latency and each message. */
    reset: (options = {}) => asked(child, { ask: 'reset', ...options }),
    received: (count, deadlineMs) =>
      until(
        `Receiving ${count}`,
        async () => {
          const now = await seen();
          return now.count >= count && now;
        },
        deadlineMs,
        100,
      ),
    async close() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

async function configure({ url }, issuer, wishes) {
  const left = [...wishes];
  const work = async () => {
    for (let wish = left.pop(); wish; wish = left.pop()) {
      const answer = await fetch(`${url}/api/webhooks/configure`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${issuer.userToken(wish.userId)}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          url: wish.url,
          events: ['inbox.organized'],
          enabled: true,
          secret: `secret of ${randomUUID()}`,
        }),
      });
      if (answer.status !== 201)
        throw new Error(`configure answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CONFIGURE_AT_ONCE }, work));
}
