import {
  AssistantEventsServiceService,
  AuthServiceService,
  newId,
  SERVICE_SCOPES,
} from '@junction/contracts';
import { replay } from '@junction/eventsourcing';
import {
  type PostgresEventStore,
  postgresEventStore,
  rowProjection,
} from '@junction/eventsourcing-postgres';
import {
  type Consumer,
  connectKafka,
  type KafkaPort,
  startConsumer,
  startRelay,
  topicName,
} from '@junction/messaging';
import {
  AUTH_TOPIC,
  apiKeyOwner,
  type Closing,
  closeChannel,
  closeGrpc,
  closeHttp,
  grpcChannel,
  grpcServer,
  type Health,
  healthChecks,
  type Logger,
  listenHttp,
  metrics,
  onAuthEvents,
  postgresPool,
  type Revocations,
  revocations,
  routine,
  serviceTokens,
  tokenVerifier,
} from '@junction/service-kit';
import {
  keyRing,
  openWithRing,
  sealWithRing,
  subjectKeys,
  subjectVault,
  type Vault,
} from '@junction/vault';
import type pg from 'pg';
import { assistantEventsService } from './adapters/grpc/assistant-events-service.js';
import { webApp } from './adapters/http/web-app.js';
import { ASSISTANT_TOPIC, onAssistantEvents } from './adapters/kafka/assistant-events.js';
import { publishWebhookEvent, WEBHOOKS_SOURCE } from './adapters/kafka/webhook-publication.js';
import { makeDailyPartitions } from './adapters/postgres/daily-partitions.js';
import { deliveryLog } from './adapters/postgres/delivery-log.js';
import { eraseUsers } from './adapters/postgres/erase-users.js';
import { intakeRows } from './adapters/postgres/intake-rows.js';
import { removeUser } from './adapters/postgres/remove-user.js';
import { openSealedRows, type Unlock } from './adapters/postgres/sealed-rows.js';
import { toStoredId } from './adapters/postgres/stored-id.js';
import { webhookCodec } from './adapters/postgres/webhook-codec.js';
import { webhookCommands, webhookStream } from './adapters/postgres/webhook-commands.js';
import { webhookRows } from './adapters/postgres/webhook-rows.js';
import { openSecrets } from './adapters/postgres/webhook-secrets.js';
import { targetProblem } from './adapters/webhook/target-rules.js';
import { type Application, createApplication, type Needs } from './application/application.js';
import type { Dispatch } from './application/dispatch/start.js';
import { composeDispatch } from './compose-dispatch.js';
import type { Config } from './config.js';
import { webhookDecider } from './domain/webhook/decider.js';
import type { WebhookEvent } from './domain/webhook/events.js';
import { webhookRow } from './projections/webhook-row.js';

const NAME = 'webhook-dispatcher';
const POOL_MAX = 20;
/** Keys are read in the middle of transactions: from the same pool, all could wait for each other. */
const VAULT_POOL_MAX = 4;
const SECOND_MS = 1_000;
const PARTITIONS_EVERY_MS = 3_600 * SECOND_MS;
const ERASURES_EVERY_MS = 5 * SECOND_MS;

/** Everything this process is made of, in the order it is opened. Nothing else calls a constructor. */
export async function compose(config: Config, log: Logger, closing: Closing): Promise<void> {
  const open = (name: string, max: number) =>
    closing.add(name, postgresPool(config.databaseUrl, { name, max, log }), (pool) => pool.end());
  const pool = open(NAME, POOL_MAX);
  const vaultPool = open(`${NAME} vault`, VAULT_POOL_MAX);
  const ring = keyRing(config.vaultKeys);
  const vault = subjectVault({ pool: vaultPool, ring });
  const unlock = subjectKeys({ pool: vaultPool, ring });
  const base = { pool, vault, unlock, log, closing };

  await makeDailyPartitions(pool);
  keepHouse(base);

  const kafka = await connectKafka(config.kafka, NAME, log);
  const { topicPrefix } = config.kafka;
  const relay = await startRelay({ pool, kafka, topicPrefix, owner: NAME, log });
  closing.add('relay', relay, (relay) => relay.stop());

  const wakeRelay = () => relay.wake();
  const store = webhookStore(pool, vault, wakeRelay);
  const handle = webhookCommands(store, vault);
  const onUnreadable = (error: unknown) => log.error({ err: error }, 'a sealed row does not open');
  const openSealed = openSealedRows(unlock, onUnreadable);
  const dispatch = await composeDispatch(config, {
    ...base,
    store,
    openSealed,
    handle,
    wakeRelay,
  });
  const parts = { ...base, kafka, store, dispatch, revoked: revocations(pool), wakeRelay };

  const health = healthChecks();
  health.add('postgres', async () => (await pool.query('select')).rowCount === 1);
  health.add('leases', () => dispatch.healthy());
  await consume(config, parts, health);

  const app = createApplication(applicationNeeds({ ...parts, openSealed, onUnreadable, handle }));
  const sealing = {
    seal: (plaintext: Buffer, aad: string) => sealWithRing(ring, plaintext, aad),
    open: (sealed: Buffer, aad: string) => openWithRing(ring, sealed, aad),
  };
  await openDoors(config, app, { ...parts, health, sealing });
}

interface Parts {
  readonly pool: pg.Pool;
  readonly vault: Vault;
  readonly unlock: Unlock;
  readonly kafka: KafkaPort;
  readonly store: PostgresEventStore<WebhookEvent>;
  readonly dispatch: Dispatch;
  readonly revoked: Revocations;
  readonly wakeRelay: () => void;
  readonly log: Logger;
  readonly closing: Closing;
}

const webhookStore = (pool: pg.Pool, vault: Vault, afterCommit: () => void) =>
  postgresEventStore<WebhookEvent>({
    pool,
    codec: webhookCodec(vault),
    source: WEBHOOKS_SOURCE,
    publish: publishWebhookEvent,
    inline: [rowProjection(webhookRow)],
    afterCommit,
  });

function keepHouse({ pool, log, closing }: Pick<Parts, 'pool' | 'log' | 'closing'>): void {
  const onError = (error: unknown) => log.error({ err: error }, 'housekeeping failed');
  const makePartitions = async () => void (await makeDailyPartitions(pool));
  const erase = async () => void (await eraseUsers(pool));
  for (const [name, work, everyMs] of [
    ['partitions', makePartitions, PARTITIONS_EVERY_MS],
    ['erasures', erase, ERASURES_EVERY_MS],
  ] as const) {
    closing.add(name, routine(everyMs, work, onError), (routine) => routine.stop());
  }
}

async function consume(config: Config, parts: Parts, health: Health): Promise<void> {
  const { pool, vault, unlock, kafka, store, dispatch, revoked, wakeRelay, log, closing } = parts;
  const common = { pool, kafka, topicPrefix: config.kafka.topicPrefix, log };
  const consumer = async (
    options: Omit<Parameters<typeof startConsumer>[0], keyof typeof common>,
  ) => {
    const started = await startConsumer({ ...common, ...options, onDeadLetter: wakeRelay });
    closing.add(options.group, started, (consumer: Consumer) => consumer.stop());
    health.add(options.group, () => started.healthy());
    return started;
  };

  const remove = removeUser(store, vault);
  const auth = await consumer({
    group: `${NAME}.auth`,
    topics: [AUTH_TOPIC],
    ordered: true,
    handle: onAuthEvents({
      revocations: revoked,
      async userDeleted(tx, userId, at) {
        const webhookIds = await remove(tx, userId, at);
        return () => {
          for (const webhookId of webhookIds) dispatch.webhookChanged(webhookId);
          wakeRelay();
        };
      },
    }),
  });
  // A revoked session must not get in because we have not read of it yet.
  health.addOnce('revocations', () => auth.caughtUp());

  await consumer({
    group: `${NAME}.assistant`,
    topics: [ASSISTANT_TOPIC],
    ordered: false,
    handle: onAssistantEvents({
      rows: (tx) => intakeRows(tx, unlock, now()),
      newDeliveryId: () => toStoredId(newId('dlv')),
      accept: (jobs) => dispatch.accept(jobs),
    }),
  });
}

function applicationNeeds({
  pool,
  vault,
  store,
  dispatch,
  openSealed,
  onUnreadable,
  handle,
}: Parts & {
  readonly openSealed: ReturnType<typeof openSealedRows>;
  readonly onUnreadable: (error: unknown) => void;
  readonly handle: Needs['handle'];
}): Needs {
  const { byHref, byId, countOf, page } = webhookRows(pool);
  const log = deliveryLog(pool, openSealed);
  return {
    handle,
    byHref,
    byId,
    countOf,
    page,
    async ownerOf(webhookId) {
      const { history } = await store.load(webhookStream(webhookId));
      const webhook = replay(webhookDecider, history);
      return webhook.life === 'unborn' ? undefined : webhook.userId;
    },
    secretOf: async (webhook) =>
      (await openSecrets(pool, vault, [webhook], onUnreadable)).get(webhook.webhook_id)?.[0],
    deliveries: log.page,
    delivery: log.detail,
    changed: (webhookId) => dispatch.webhookChanged(webhookId),
    now,
    newWebhookId: () => newId('wh'),
  };
}

interface Doors extends Parts {
  readonly health: Health;
  readonly sealing: {
    seal(plaintext: Buffer, aad: string): Buffer;
    open(sealed: Buffer, aad: string): Buffer;
  };
}

/** The doors open last, once everything behind them is ready. Closing in reverse shuts them first. */
async function openDoors(config: Config, app: Application, doors: Doors): Promise<void> {
  const { pool, kafka, revoked, log, closing, health, sealing } = doors;
  const measures = metrics(NAME);
  const trust = { keys: { jwksUrl: config.auth.jwksUrl }, issuer: config.publicUrl };
  const { allowPrivateTargets: allowPrivate } = config;

  const producer = await kafka.producer();
  closing.add('producer', producer, (producer) => producer.close());
  const topic = topicName(config.kafka.topicPrefix, ASSISTANT_TOPIC);
  const grpc = await grpcServer({
    log,
    metrics: measures,
    ...config.grpc,
    security: config.grpcSecurity,
    verify: tokenVerifier({ ...trust, audience: NAME, kind: 'service' }),
    services: [
      {
        definition: AssistantEventsServiceService,
        implementation: assistantEventsService({ producer, topic, log }),
        scopes: {
          publish: SERVICE_SCOPES.publishEvents,
          publishStream: SERVICE_SCOPES.publishEvents,
        },
      },
    ],
  });
  closing.add('grpc', grpc, closeGrpc);

  const web = webApp({
    app,
    problemOf: (url) => targetProblem(url, { allowPrivate }),
    authentication: {
      verify: tokenVerifier({ ...trust, audience: 'junction-api', kind: 'user' }),
      revoked: (ids) => revoked.isRevoked(ids),
      apiKey: apiKeyOwner(openAuthChannel(config, closing)),
    },
    repeats: { pool, sealing },
    log,
    health,
    metrics: measures,
  });
  const http = await listenHttp(web, config.http);
  closing.add('http', http, (server) => closeHttp(server, health));
}

function openAuthChannel({ auth, grpcSecurity }: Config, closing: Closing) {
  const { tokenUrl, clientId, clientSecret, grpcAddress: address } = auth;
  const scope = SERVICE_SCOPES.verifyCredentials;
  const tokens = serviceTokens({ tokenUrl, clientId, clientSecret, audience: 'auth', scope });
  const channel = grpcChannel({
    address,
    security: grpcSecurity,
    tokens,
    idempotent: [AuthServiceService.authenticate],
  });
  return closing.add('auth channel', channel, (channel) => closeChannel(channel));
}

const now = (): Date => new Date();
