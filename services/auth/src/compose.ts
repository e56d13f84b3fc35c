import { randomBytes, randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { repeat } from '@junction/async';
import { AuthServiceService, newId, SERVICE_SCOPES } from '@junction/contracts';
import { commandHandler, type EventStore } from '@junction/eventsourcing';
import { EVENTS_APPENDED, type Notifier } from '@junction/eventsourcing-postgres';
import { connectKafka, startRelay } from '@junction/messaging';
import type { Ops } from '@junction/ops';
import {
  type Closing,
  closeGrpc,
  drainGrpc,
  grpcServer,
  keepProjections,
  type Life,
  type Logger,
  MAINTENANCE_STATEMENT_MS,
  type Metrics,
  metrics,
  openEventStore,
  openPools,
  tokenVerifier,
} from '@junction/service-kit';
import {
  type KeyRing,
  keySource,
  openKeyRing,
  requireKeys,
  ringPlaces,
  subjectVault,
  type Vault,
} from '@junction/vault';
import type pg from 'pg';
import { migrations } from '../migrations/index.js';
import { passwordHasher } from './adapters/argon2/password-hasher.js';
import { readServiceAccounts } from './adapters/files/read-service-accounts.js';
import { authService } from './adapters/grpc/auth-service.js';
import { webApp } from './adapters/http/web-app.js';
import { accessTokens, USER_AUDIENCE } from './adapters/jwt/access-tokens.js';
import { type SigningKeys, signingKeys } from './adapters/jwt/signing-keys.js';
import { postgresAccounts } from './adapters/postgres/accounts.js';
import { postgresApiKeys } from './adapters/postgres/api-keys.js';
import { authStore } from './adapters/postgres/auth-store.js';
import { postgresLimits } from './adapters/postgres/limits.js';
import { readModels } from './adapters/postgres/read-models.js';
import { ringColumns } from './adapters/postgres/ring-columns.js';
import { postgresSessions } from './adapters/postgres/sessions.js';
import { ensureSigningKey, loadSigningKeys } from './adapters/postgres/signing-key-store.js';
import { createApplication } from './application/application.js';
import type { Needs } from './application/needs.js';
import { serviceAccounts } from './application/service-accounts.js';
import { createSweeps } from './application/sweeps.js';
import { composeOps } from './compose-ops.js';
import type { Config } from './config.js';
import { apiKeyDecider } from './domain/api-key/decider.js';
import type { ApiKeyEvent } from './domain/api-key/events.js';
import { sessionDecider } from './domain/session/decider.js';
import type { SessionEvent } from './domain/session/events.js';

const POOL_MAX = 20;
/** Connections that are open only while an operator has the whole store looked at. */
const OPS_POOL_MAX = 2;
const WAITING_HASHES_MAX = 32;
/** Where the key ring itself has sealed. */
const PLACES = ringPlaces(ringColumns);
const SECOND_MS = 1_000;
const FORGET_INTERVAL_MS = 5 * SECOND_MS;
const EXPIRY_INTERVAL_MS = 60 * SECOND_MS;
const KEY_RELOAD_INTERVAL_MS = 60 * SECOND_MS;

/** Everything this process is made of, in the order it is opened. Nothing else calls a constructor. */
export async function compose(config: Config, life: Life): Promise<void> {
  const { log, closing } = life;
  const open = openPools(config.databaseUrl, life);
  const pool = open('auth', POOL_MAX);
  const maintenance = open('auth ops', OPS_POOL_MAX, MAINTENANCE_STATEMENT_MS);
  const measures = metrics('auth');
  const { meter } = measures;
  // Ready without Kafka: people can still log in, and the outbox keeps what is to be told.
  const notifier = await openEventStore({ pool, migrations, meter, life });
  const ring = await openKeyRing(keySource(config.vaultKeys));
  await requireKeys(maintenance, ring, PLACES);
  const keys = await openKeys(pool, ring, log, closing);
  const vault = subjectVault({ pool, ring });
  const opened = { pool, keys, measures, log, closing };
  const needs = await openNeeds(config, { ...opened, notifier, ring, vault });
  sweepRegularly(needs, log, closing);
  const models = readModels({ pool, vault, notifier });
  keepProjections(models, { owner: 'auth', meter, life });
  const ops = composeOps({ models, maintenance, sealed: { ring, places: PLACES }, log });
  await openDoors(config, needs, { keys, ops, measures, life });
}

interface Opened {
  readonly pool: pg.Pool;
  readonly keys: SigningKeys;
  readonly measures: Metrics;
  readonly log: Logger;
  readonly closing: Closing;
}

async function openKeys(
  pool: pg.Pool,
  ring: KeyRing,
  log: Logger,
  closing: Closing,
): Promise<SigningKeys> {
  await ensureSigningKey(pool, ring);
  const keys = await signingKeys(() => loadSigningKeys(pool, ring), now);
  const reload = repeat(
    KEY_RELOAD_INTERVAL_MS,
    () => keys.reload(),
    (error) => {
      log.warn({ err: error }, 'signing keys could not be read again; the known ones stay in use');
    },
  );
  closing.add('key reload', reload, (job) => job.stop());
  return keys;
}

interface Needed extends Opened {
  readonly notifier: Notifier;
  readonly ring: KeyRing;
  readonly vault: Vault;
}

async function openNeeds(
  config: Config,
  { pool, notifier, ring, vault, keys, measures: { meter }, log, closing }: Needed,
): Promise<Needs> {
  const { topicPrefix } = config.kafka;
  const kafka = await connectKafka(config.kafka, 'auth', log);

  const relay = await startRelay({ pool, kafka, notifier, topicPrefix, owner: 'auth', log, meter });
  closing.add('relay', relay, (relay) => relay.stop());

  const afterCommit = () => {
    relay.wake();
    notifier.notify(EVENTS_APPENDED);
  };
  const store = authStore({ pool, vault, afterCommit });
  const atOnceMax = Math.max(1, availableParallelism() - 1);
  const { publicUrl: issuer, accessTokenTtlS: lifetimeS, reuseWindowMs } = config;

  return {
    accounts: postgresAccounts({ pool, store, vault, afterCommit }),
    sessions: postgresSessions({ pool, store, ring, reuseWindowMs }),
    apiKeys: postgresApiKeys(pool, store),
    // A stream holds the events of its own aggregate only, so a narrower view of the store is safe.
    handleSession: commandHandler(store as unknown as EventStore<SessionEvent>, sessionDecider),
    handleApiKey: commandHandler(store as unknown as EventStore<ApiKeyEvent>, apiKeyDecider),
    passwords: await passwordHasher({ atOnceMax, waitingMax: WAITING_HASHES_MAX }),
    limits: postgresLimits({ pool, ...config.limits }),
    accessTokens: accessTokens({ keys, issuer, lifetimeS, now, uuid: randomUUID }),
    findServiceAccount: serviceAccounts(await readServiceAccounts(config.serviceAccountsFile)),
    now,
    newUserId: randomUUID,
    newSessionId: () => newId('ses'),
    newKeyId: () => newId('key'),
    random: randomBytes,
  };
}

function sweepRegularly(needs: Needs, log: Logger, closing: Closing): void {
  const { forgetSuccessors, endExpiredSessions } = createSweeps(needs);
  const onError = (error: unknown) => log.warn({ err: error }, 'sweep failed; it will be repeated');
  const jobs = [
    repeat(FORGET_INTERVAL_MS, forgetSuccessors, onError),
    repeat(EXPIRY_INTERVAL_MS, endExpiredSessions, onError),
  ];
  closing.add('sweeps', jobs, () => Promise.all(jobs.map((job) => job.stop())));
}

interface DoorParts extends Pick<Opened, 'keys' | 'measures'> {
  readonly ops: Ops;
  readonly life: Life;
}

/** The doors open last, once everything behind them is ready. Closing in reverse shuts them first. */
async function openDoors(
  config: Config,
  needs: Needs,
  { keys, ops, measures, life }: DoorParts,
): Promise<void> {
  const { log, closing, health } = life;
  const app = createApplication(needs, config);
  const trust = { keys: keys.verificationKey, issuer: config.publicUrl };

  const grpc = await grpcServer({
    log,
    metrics: measures,
    ...config.grpc,
    security: config.grpcSecurity,
    verify: tokenVerifier({ ...trust, audience: 'auth', kind: 'service' }),
    services: [
      {
        definition: AuthServiceService,
        implementation: authService(app, log),
        scopes: { authenticate: SERVICE_SCOPES.verifyCredentials },
      },
      ops.service,
    ],
  });
  closing.add('grpc', grpc, closeGrpc, { announce: drainGrpc, atOnce: true });
  closing.add('ops', ops, (ops) => ops.stop(), { atOnce: true });

  const web = webApp({
    app,
    keys,
    log,
    health,
    metrics: measures,
    trustedProxies: config.trustedProxies,
    verify: tokenVerifier({ ...trust, audience: USER_AUDIENCE, kind: 'user' }),
    revoked: app.isRevoked,
    publicUrl: config.publicUrl,
    refreshTokenTtlMs: config.refreshTokenTtlMs,
  });
  await life.listen(web);
}

const now = (): Date => new Date();
