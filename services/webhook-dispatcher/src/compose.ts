import { repeat } from '@junction/async';
import { newId } from '@junction/contracts';
import { replay } from '@junction/eventsourcing';
import {
  EVENTS_APPENDED,
  inTransaction,
  type PostgresEventStore,
  postgresEventStore,
} from '@junction/eventsourcing-postgres';
import { connectKafka, measureDeadLetters, startRelay } from '@junction/messaging';
import {
  keepReadModels,
  MAINTENANCE_STATEMENT_MS,
  openEventStore,
  openPools,
} from '@junction/platform/postgres';
import {
  type Closing,
  idempotencyColumns,
  type Logger,
  metrics,
  type Runtime,
  revocations,
} from '@junction/service-kit';
import {
  keySource,
  openKeyRing,
  requireKeys,
  ringPlaces,
  subjectKeys,
  subjectVault,
  type Vault,
} from '@junction/vault';
import { newSecret } from '@junction/webhook-signing';
import type pg from 'pg';
import { migrations } from '../migrations/index.js';
import { publishWebhookEvent, WEBHOOKS_SOURCE } from './adapters/kafka/webhook-publication.js';
import { makeDailyPartitions } from './adapters/postgres/daily-partitions.js';
import { deliveryLog } from './adapters/postgres/history/delivery-log.js';
import { eraseUsers } from './adapters/postgres/privacy/erase-users.js';
import { expungeUsers } from './adapters/postgres/privacy/expunge-users.js';
import { type RemoveUsers, removeUsers } from './adapters/postgres/privacy/remove-users.js';
import {
  deleteOldRows,
  dropOldPartitions,
  type Retention,
} from './adapters/postgres/privacy/retention.js';
import { type OpenSealed, openSealedRows } from './adapters/postgres/sealed-rows.js';
import { disableFailing } from './adapters/postgres/webhooks/failing-webhooks.js';
import { inline, readModels } from './adapters/postgres/webhooks/read-models.js';
import { webhookCodec } from './adapters/postgres/webhooks/webhook-codec.js';
import { webhookCommands, webhookStream } from './adapters/postgres/webhooks/webhook-commands.js';
import { openHeaders } from './adapters/postgres/webhooks/webhook-headers.js';
import { WebhookIndex } from './adapters/postgres/webhooks/webhook-index.js';
import { webhookRows } from './adapters/postgres/webhooks/webhook-rows.js';
import { openSecrets, removeExpiredSecrets } from './adapters/postgres/webhooks/webhook-secrets.js';
import { createApplication, type Needs } from './application/application.js';
import type { Dispatch } from './application/dispatch/start.js';
import { consume } from './compose-consumers.js';
import { composeDispatch } from './compose-dispatch.js';
import { openDoors } from './compose-doors.js';
import { composeHistory, composeWatching } from './compose-history.js';
import { composeOps } from './compose-ops.js';
import type { Config } from './config.js';
import { webhookDecider } from './domain/webhook/decider.js';
import type { WebhookEvent } from './domain/webhook/events.js';

const NAME = 'webhook-dispatcher';
const POOL_MAX = 20;
/** Keys and webhooks are read in the middle of transactions: from the same pool, all could wait for each other. */
const VAULT_POOL_MAX = 4;
/** Connections that are open only while an operator has the whole store looked at. */
const OPS_POOL_MAX = 2;
/** Where the key ring itself has sealed. */
const PLACES = ringPlaces(idempotencyColumns);
const SECOND_MS = 1_000;
const PARTITIONS_EVERY_MS = 3_600 * SECOND_MS;
const RETENTION_EVERY_MS = 600 * SECOND_MS;
const ERASURES_EVERY_MS = 5 * SECOND_MS;
const EXPUNGES_EVERY_MS = 5 * SECOND_MS;
const FAILING_EVERY_MS = 60 * SECOND_MS;
const EXPIRED_SECRETS_EVERY_MS = 60 * SECOND_MS;

/** The database, by three roads, and what opens what is sealed in it. */
async function openDatabase(config: Config, life: Runtime) {
  const { log } = life;
  const open = openPools(config.databaseUrl, life);
  const pool = open(NAME, POOL_MAX);
  const maintenance = open(`${NAME} ops`, OPS_POOL_MAX, MAINTENANCE_STATEMENT_MS);
  const vaultPool = open(`${NAME} vault`, VAULT_POOL_MAX);
  const ring = await openKeyRing(keySource(config.vaultKeys));
  const unlock = subjectKeys({ pool: vaultPool, ring });
  const onUnreadable = (error: unknown) => log.error({ err: error }, 'a sealed row does not open');
  return {
    pool,
    maintenance,
    ring,
    vault: subjectVault({ pool: vaultPool, ring }),
    unlock,
    index: new WebhookIndex(vaultPool),
    openSealed: openSealedRows(unlock, onUnreadable),
    onUnreadable,
  };
}

/** Everything this process is made of, in the order it is opened. */
export async function compose(config: Config, life: Runtime): Promise<void> {
  const { log, closing, health } = life;
  const database = await openDatabase(config, life);
  const { pool, maintenance, vault } = database;
  const measures = metrics(NAME);
  const { meter } = measures;
  const notifier = await openEventStore({ pool, migrations, meter, runtime: life });
  await requireKeys(maintenance, database.ring, PLACES);
  await makeDailyPartitions(pool);

  const kafka = await connectKafka(config.kafka, NAME, log);
  const { topicPrefix } = config.kafka;
  const relay = await startRelay({ pool, kafka, notifier, topicPrefix, owner: NAME, log, meter });
  closing.add('relay', relay, (relay) => relay.stop());
  const wakeRelay = () => relay.wake();

  const store = webhookStore(pool, vault, () => {
    wakeRelay();
    notifier.notify(EVENTS_APPENDED);
  });
  const handle = webhookCommands(store, vault, config.webhooksPerUserMax);
  const base = { ...database, name: NAME, kafka, store, handle, notifier };
  const running = { wakeRelay, measures, log, closing };
  const watching = composeWatching({ ...base, ...running });
  const { written } = watching;
  const dispatch = await composeDispatch(config, { ...base, ...running, written });

  const remove = removeUsers(store, vault);
  const changed = (webhookIds: readonly string[]) => {
    for (const webhookId of webhookIds) dispatch.webhookChanged(webhookId);
    wakeRelay();
  };
  const { retention } = config;
  keepHouse({ pool, maintenance, retention, log, closing, handle, remove, changed });

  health.add('leases', () => dispatch.healthy());
  measureDeadLetters(meter, pool);
  const parts = { ...base, ...running, dispatch, health, revoked: revocations(pool) };
  const consumers = await consume({ ...parts, topicPrefix, remove, removed: changed });

  const app = createApplication(applicationNeeds(parts));
  const history = composeHistory(parts, watching);
  const models = readModels({ pool, vault, notifier });
  keepReadModels(models, { owner: NAME, meter, runtime: life });
  const sealed = { ring: database.ring, places: PLACES };
  const ops = composeOps({ ...parts, models, sealed, topicPrefix, consumers });
  await openDoors(config, { app, history }, { ...parts, ops, life, live: watching.live });
}

const webhookStore = (pool: pg.Pool, vault: Vault, afterCommit: () => void) =>
  postgresEventStore<WebhookEvent>({
    pool,
    codec: webhookCodec(vault),
    source: WEBHOOKS_SOURCE,
    publish: publishWebhookEvent,
    inline,
    afterCommit,
  });

interface House {
  readonly pool: pg.Pool;
  readonly maintenance: pg.Pool;
  readonly retention: Retention;
  readonly log: Logger;
  readonly closing: Closing;
  readonly handle: Needs['handle'];
  readonly remove: RemoveUsers;
  /** Webhooks are not as they were, and that is committed. */
  readonly changed: (webhookIds: readonly string[]) => void;
}

function keepHouse(house: House): void {
  const { pool, maintenance, retention, log, closing, handle, remove, changed } = house;
  const onError = (error: unknown) => log.error({ err: error }, 'housekeeping failed');
  const makePartitions = async () => void (await makeDailyPartitions(pool));
  const removeAgain = async (userId: string) =>
    changed(await inTransaction(pool, (tx) => remove(tx, [{ userId, at: now() }])));
  const dropOldDays = async () => {
    const dropped = await dropOldPartitions(maintenance, retention);
    if (dropped.length > 0) log.info({ partitions: dropped }, 'days are over');
    await deleteOldRows(pool, retention);
  };
  const erase = async () => void (await eraseUsers(pool, removeAgain));
  const disable = async () => changed(await disableFailing(pool, handle, now()));
  for (const [name, chore, everyMs] of [
    ['partitions', makePartitions, PARTITIONS_EVERY_MS],
    ['retention', dropOldDays, RETENTION_EVERY_MS],
    ['erasures', erase, ERASURES_EVERY_MS],
    ['expunges', () => expungeUsers(pool), EXPUNGES_EVERY_MS],
    ['failing webhooks', disable, FAILING_EVERY_MS],
    ['expired secrets', () => removeExpiredSecrets(pool), EXPIRED_SECRETS_EVERY_MS],
  ] as const) {
    closing.add(name, repeat(everyMs, chore, onError), (job) => job.stop());
  }
}

interface ApplicationParts {
  readonly pool: pg.Pool;
  readonly vault: Vault;
  readonly store: PostgresEventStore<WebhookEvent>;
  readonly dispatch: Dispatch;
  readonly openSealed: OpenSealed;
  readonly onUnreadable: (error: unknown) => void;
  readonly handle: Needs['handle'];
}

function applicationNeeds({
  pool,
  vault,
  store,
  dispatch,
  openSealed,
  onUnreadable,
  handle,
}: ApplicationParts): Needs {
  const { byHref, byId, page } = webhookRows(pool);
  const log = deliveryLog(pool, openSealed);
  const historyOf = async (webhookId: string) =>
    (await store.load(webhookStream(webhookId))).history;
  return {
    handle,
    byHref,
    byId,
    page,
    historyOf,
    async ownerOf(webhookId) {
      const webhook = replay(webhookDecider, await historyOf(webhookId));
      return webhook.life === 'unborn' ? undefined : webhook.userId;
    },
    secretsOf: async (webhook) =>
      (await openSecrets(pool, vault, [webhook], onUnreadable)).get(webhook.webhook_id) ?? [],
    headersOf: async (webhook) =>
      (await openHeaders(pool, vault, [webhook], onUnreadable)).get(webhook.webhook_id),
    deliveries: log.page,
    delivery: log.detail,
    changed: (webhookId) => dispatch.webhookChanged(webhookId),
    now,
    newWebhookId: () => newId('wh'),
    newSecret: () => newSecret(),
  };
}

const now = (): Date => new Date();
