import { randomBytes } from 'node:crypto';
import { repeat } from '@junction/async';
import { IntegrationsServiceService, SERVICE_SCOPES } from '@junction/contracts';
import { EVENTS_APPENDED, type Notifier } from '@junction/eventsourcing-postgres';
import {
  type Consumer,
  connectKafka,
  measureConsumers,
  measureDeadLetters,
  startConsumer,
  startRelay,
} from '@junction/messaging';
import type { Ops } from '@junction/ops';
import {
  MAINTENANCE_STATEMENT_MS,
  openEventStore,
  openPools,
  startRebuildPurge,
} from '@junction/platform/postgres';
import {
  AUTH_TOPIC,
  apiKeyOwner,
  authChannel,
  type Closing,
  closeChannel,
  closeGrpc,
  drainGrpc,
  eventStreams,
  expectAuth,
  grpcServer,
  type Health,
  type Logger,
  type Meter,
  type Metrics,
  metrics,
  onAuthEvents,
  type Revocations,
  type Runtime,
  remoteKeys,
  revocations,
  tokenVerifier,
} from '@junction/service-kit';
import {
  type KeyRing,
  keySource,
  openKeyRing,
  openWithRing,
  requireKeys,
  ringPlaces,
  sealWithRing,
  subjectVault,
} from '@junction/vault';
import type pg from 'pg';
import { migrations } from '../migrations/index.js';
import { integrationsService } from './adapters/grpc/integrations-service.js';
import { webApp } from './adapters/http/web-app.js';
import { postgresAuthorizations, purgeAuthorizations } from './adapters/postgres/authorizations.js';
import { postgresChecks } from './adapters/postgres/checks.js';
import { connectionStore } from './adapters/postgres/connection-store.js';
import { postgresConnections } from './adapters/postgres/connections.js';
import { refreshQueue } from './adapters/postgres/due-refreshes.js';
import { postgresHistory } from './adapters/postgres/history.js';
import { readModels } from './adapters/postgres/read-models.js';
import { postgresLeases } from './adapters/postgres/refresh-leases.js';
import { purgeRefreshes } from './adapters/postgres/refreshes.js';
import { postgresRevocations } from './adapters/postgres/revocations.js';
import { ringColumns } from './adapters/postgres/ring-columns.js';
import { purgeSecurityEvents } from './adapters/postgres/security-events.js';
import {
  postgresUnitOfWork,
  transactionOn,
  type UnitOfWorkOptions,
} from './adapters/postgres/unit-of-work.js';
import { oauthProvider } from './adapters/provider/oauth-provider.js';
import { providerBreaker } from './adapters/provider/provider-breaker.js';
import { readProviders } from './adapters/provider/read-providers.js';
import { type Application, application } from './application/application.js';
import { deleteUsers } from './application/delete-users.js';
import type { OAuthProvider, Ports } from './application/ports.js';
import { revokeDue } from './application/revoke.js';
import { tokenRequests } from './application/token-requests.js';
import { keepChecking } from './compose-checking.js';
import { composeOps } from './compose-ops.js';
import { measureRefreshes, startRefreshing } from './compose-refreshing.js';
import type { Config } from './config.js';
import { PROVIDERS, type Provider } from './domain/connection/events.js';

const NAME = 'integrations';
const POOL_MAX = 20;
/** Keys are read in the middle of transactions: from the same pool, all could wait for each other. */
const VAULT_POOL_MAX = 4;
/** Connections that are open only while an operator has the whole store looked at. */
const OPS_POOL_MAX = 2;
/** Where the key ring itself has sealed. */
const PLACES = ringPlaces(ringColumns);
const SECOND_MS = 1_000;
const REVOKE_EVERY_MS = SECOND_MS;
/** Whoever watches integrations is told a second later at most; any event may be about them. */
const STREAM_REST_MS = SECOND_MS;
const PURGE_EVERY_MS = 60 * SECOND_MS;

/** Everything this process is made of, in the order it is opened. Nothing else calls a constructor. */
export async function compose(config: Config, life: Runtime): Promise<void> {
  const { log, closing, health } = life;
  const { pool, maintenance, ring, vault } = await openDatabase(config, life);
  const providers = await openProviders(config, life);
  const measures = metrics(NAME);
  const { meter } = measures;
  const notifier = await openEventStore({ pool, migrations, meter, runtime: life });
  await requireKeys(maintenance, ring, PLACES);

  const kafka = await connectKafka(config.kafka, NAME, log);
  const { topicPrefix } = config.kafka;
  const relay = await startRelay({ pool, kafka, notifier, topicPrefix, owner: NAME, log, meter });
  closing.add('relay', relay, (relay) => relay.stop());

  const wakes: (() => void)[] = [() => relay.wake(), () => notifier.notify(EVENTS_APPENDED)];
  const afterCommit = () => wakes.forEach((wake) => wake());
  const store = connectionStore(pool, vault);
  const writing = { pool, store, vault, ring, chance: Math.random, log, monotonicMs, afterCommit };
  const ports = portsOf(writing, { providers, returnTo: config.returnTo, meter, log });
  wakes.push(startJobs(ports, pool, log, closing));

  const revoked = revocations(pool);
  const remove = deleteUsers(log);
  const consumer = await startConsumer({
    pool,
    kafka,
    topicPrefix,
    group: `${NAME}.auth`,
    topics: [AUTH_TOPIC],
    dropDuplicates: true,
    handle: onAuthEvents({
      revocations: revoked,
      usersDeleted: async (tx, users) =>
        remove(transactionOn(tx, writing), users).then(() => afterCommit),
    }),
    log,
    onDeadLetter: afterCommit,
  });
  watch(consumer, { pool, meter, health, closing });

  const requests = tokenRequests();
  const refreshing = startRefreshing(ports, requests, life);
  wakes.push(keepChecking(ports, refreshing, meter, life));
  const app = application(ports, refreshing, requests);
  const models = readModels({ pool, vault });
  startRebuildPurge(pool, life);
  const consuming = { kafka, topicPrefix, consumers: [consumer] };
  const sealed = { ring, places: PLACES };
  const ops = composeOps({ models, notifier, maintenance, sealed, log, ...consuming });
  await openDoors(config, app, { pool, ring, ops, revoked, notifier, measures, life });
}

/** The database, by three roads, and what opens what is sealed in it. */
async function openDatabase(config: Config, life: Runtime) {
  const open = openPools(config.databaseUrl, life);
  const ring = await openKeyRing(keySource(config.vaultKeys));
  return {
    pool: open(NAME, POOL_MAX),
    maintenance: open(`${NAME} ops`, OPS_POOL_MAX, MAINTENANCE_STATEMENT_MS),
    ring,
    vault: subjectVault({ pool: open(`${NAME} vault`, VAULT_POOL_MAX), ring }),
  };
}

const monotonicMs = (): number => performance.now();

interface Outside extends Pick<Ports, 'providers' | 'returnTo' | 'log'> {
  readonly meter: Meter;
}

function portsOf(writing: UnitOfWorkOptions, { meter, ...outside }: Outside): Ports {
  const { pool, store, vault, ring } = writing;
  const dueRefreshes = refreshQueue(pool);
  return {
    ...outside,
    unitOfWork: postgresUnitOfWork(writing),
    connections: postgresConnections(pool, vault),
    history: postgresHistory(pool, store),
    authorizations: postgresAuthorizations(pool, ring),
    leases: postgresLeases({ pool, vault, monotonicMs }),
    dueRefreshes,
    refreshEnded: measureRefreshes(meter, dueRefreshes),
    revocations: postgresRevocations(pool, ring),
    checks: postgresChecks({ pool, vault, monotonicMs }),
    now: () => new Date(),
    monotonicMs,
    chance: Math.random,
    random: randomBytes,
  };
}

async function openProviders(
  config: Config,
  { closing, log }: Runtime,
): Promise<ReadonlyMap<Provider, OAuthProvider>> {
  const { providersFile: path, variable, allowHttpIssuer: allowHttp, publicUrl } = config;
  const file = await readProviders({ path, variable, allowHttp });
  const providers = new Map<Provider, OAuthProvider>();
  for (const name of PROVIDERS) {
    const settings = file[name];
    if (settings === undefined) continue;
    const guardOf = (breaker: string) =>
      closing.add(`${breaker} breaker`, providerBreaker(breaker), ({ stop }) => stop()).guard;
    const redirectUri = `${publicUrl}/connect/${name}/callback`;
    const [guard, askingGuard] = [guardOf(name), guardOf(`${name} introspection`)];
    const options = { settings, redirectUri, guard, askingGuard, nowMs: Date.now, log };
    providers.set(name, oauthProvider(options));
  }
  return providers;
}

/** Background jobs: revoking at the providers, and purging. Gives what wakes the revoking. */
function startJobs(ports: Ports, pool: pg.Pool, log: Logger, closing: Closing): () => void {
  const onError = (error: unknown) => log.warn({ err: error }, 'a background job failed');
  const revoke = revokeDue(ports);
  const revokeSome = async () => {
    if ((await revoke()) > 0) revoking.wake();
  };
  const purge = async () => {
    await purgeAuthorizations(pool);
    await purgeSecurityEvents(pool);
    await purgeRefreshes(pool);
  };
  const revoking = repeat(REVOKE_EVERY_MS, revokeSome, onError);
  const purging = repeat(PURGE_EVERY_MS, purge, onError);
  for (const one of [revoking, purging]) {
    closing.add('background job', one, (one) => one.stop(), { atOnce: true });
  }
  return () => revoking.wake();
}

interface Watching {
  readonly pool: pg.Pool;
  readonly meter: Meter;
  readonly health: Health;
  readonly closing: Closing;
}

function watch(consumer: Consumer, { pool, meter, health, closing }: Watching): void {
  measureConsumers(meter, [consumer]);
  measureDeadLetters(meter, pool);
  closing.add('consumer', consumer, (consumer) => consumer.stop(), { atOnce: true });
  health.add('auth events', () => consumer.healthy());
  // A revoked session must not get in because we have not read of it yet.
  health.addOnce('revocations', () => consumer.caughtUp());
}

interface Doors {
  readonly pool: pg.Pool;
  readonly ring: KeyRing;
  readonly ops: Ops;
  readonly revoked: Revocations;
  readonly notifier: Notifier;
  readonly measures: Metrics;
  readonly life: Runtime;
}

/** The doors open last, once everything behind them is ready. Closing in reverse shuts them first. */
async function openDoors(config: Config, app: Application, doors: Doors): Promise<void> {
  const { pool, ring, revoked, notifier, measures, life } = doors;
  const { log, health, closing } = life;
  const keys = remoteKeys(config.auth.jwksUrl);
  const trust = { keys, issuer: config.publicUrl };
  const auth = closing.add('auth channel', authChannel(config), closeChannel);
  expectAuth(health, keys, auth);

  await openGrpc(config, app, trust, doors);
  const streams = closing.add(
    'streams',
    eventStreams({
      revoked: (ids) => revoked.isRevoked(ids),
      onNews: (onCall) => notifier.listen(EVENTS_APPENDED, onCall),
      restMs: STREAM_REST_MS,
    }),
    (streams) => streams.end(),
    { announce: (streams) => streams.end() },
  );
  const web = webApp({
    app,
    streams,
    authentication: {
      verify: tokenVerifier({ ...trust, audience: 'junction-api', kind: 'user' }),
      revoked: (ids) => revoked.isRevoked(ids),
      apiKey: apiKeyOwner(auth),
      publicUrl: config.publicUrl,
    },
    repeats: {
      pool,
      sealing: {
        seal: (plaintext, aad) => sealWithRing(ring, plaintext, aad),
        open: (sealed, aad) => openWithRing(ring, sealed, aad),
      },
    },
    log,
    health,
    metrics: measures,
  });
  await life.listen(web);
}

type Trust = Pick<Parameters<typeof tokenVerifier>[0], 'keys' | 'issuer'>;

async function openGrpc(
  config: Config,
  app: Application,
  trust: Trust,
  { ops, measures, life: { log, closing } }: Doors,
): Promise<void> {
  const grpc = await grpcServer({
    log,
    metrics: measures,
    ...config.grpc,
    security: config.grpcSecurity,
    verify: tokenVerifier({ ...trust, audience: NAME, kind: 'service' }),
    services: [
      {
        definition: IntegrationsServiceService,
        implementation: integrationsService(app, log),
        scopes: {
          getAccessToken: SERVICE_SCOPES.readTokens,
          reportUnauthorized: SERVICE_SCOPES.readTokens,
          listConnections: SERVICE_SCOPES.readConnections,
        },
      },
      ops.service,
    ],
  });
  closing.add('grpc', grpc, closeGrpc, { announce: drainGrpc, atOnce: true });
  closing.add('ops', ops, (ops) => ops.stop(), { atOnce: true });
}
