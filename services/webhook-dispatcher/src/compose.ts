import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { repeat } from '@junction/async';
import { newId } from '@junction/contracts';
import {
  EVENTS_APPENDED,
  type PostgresEventStore,
  postgresEventStore,
} from '@junction/eventsourcing-postgres';
import { connectKafka, measureDeadLetters, startRelay } from '@junction/messaging';
import {
  MAINTENANCE_STATEMENT_MS,
  openEventStore,
  openPools,
  startRebuildPurge,
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
import { publishWebhookEvent, WEBHOOKS_SOURCE } from './adapters/kafka/publication.js';
import { makeDailyPartitions } from './adapters/postgres/daily-partitions.js';
import { deliveryLog } from './adapters/postgres/history/delivery-log.js';
import { deleteUserRows } from './adapters/postgres/privacy/delete-user-rows.js';
import { purgePartitions, purgeRows, type Retention } from './adapters/postgres/privacy/purge.js';
import { redactUserPayloads } from './adapters/postgres/privacy/redact-user-payloads.js';
import { type OpenSealed, openSealedRows } from './adapters/postgres/sealed-rows.js';
import { postgresUnitOfWork, transactionOn } from './adapters/postgres/unit-of-work.js';
import { webhookCodec } from './adapters/postgres/webhooks/event-codec.js';
import { failingReads } from './adapters/postgres/webhooks/failing-webhooks.js';
import { inline, readModels } from './adapters/postgres/webhooks/read-models.js';
import { WebhookIndex } from './adapters/postgres/webhooks/webhook-index.js';
import { webhookReads } from './adapters/postgres/webhooks/webhook-rows.js';
import { purgeExpiredSecrets } from './adapters/postgres/webhooks/webhook-secrets.js';
import { application } from './application/application.js';
import { deleteUsers } from './application/delete-users.js';
import { disableFailing } from './application/disable-failing.js';
import type { Dispatch } from './application/dispatch/start.js';
import type { Ports } from './application/ports.js';
import type { UnitOfWork } from './application/unit-of-work.js';
import { consume } from './compose-consumers.js';
import { composeDispatch } from './compose-dispatch.js';
import { openDoors } from './compose-doors.js';
import { composeHistory, composeWatching } from './compose-history.js';
import { composeOps } from './compose-ops.js';
import type { Config } from './config.js';
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
const ROW_DELETIONS_EVERY_MS = 5 * SECOND_MS;
const REDACTIONS_EVERY_MS = 5 * SECOND_MS;
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

  const storing = openStore(database, () => {
    wakeRelay();
    notifier.notify(EVENTS_APPENDED);
  });
  const base = { ...database, ...storing, name: NAME, kafka, notifier };
  const running = { wakeRelay, measures, log, closing };
  const watching = composeWatching({ ...base, ...running });
  const { written } = watching;
  const dispatch = await composeDispatch(config, { ...base, ...running, written });

  const changed = (webhookIds: readonly string[]) => {
    for (const webhookId of webhookIds) dispatch.webhookChanged(webhookId);
    wakeRelay();
  };
  const parts = { ...base, ...running, dispatch, health, revoked: revocations(pool) };
  const ports = portsOf(parts, config);
  startJobs({ pool, maintenance, retention: config.retention, log, closing, ports, changed });

  health.add('leases', () => dispatch.healthy());
  measureDeadLetters(meter, pool);
  const consumers = await consume({
    ...parts,
    topicPrefix,
    deleteUsers: (tx, users) => deleteUsers(transactionOn(tx, parts), users),
    deleted: changed,
  });

  const app = application(ports);
  const history = composeHistory(parts, watching);
  const models = readModels({ pool, vault });
  startRebuildPurge(pool, life);
  const sealed = { ring: database.ring, places: PLACES };
  const ops = composeOps({ ...parts, models, sealed, topicPrefix, consumers });
  await openDoors(config, { app, history }, { ...parts, ops, life, live: watching.live });
}

/** Events and the tables beside them, and the one road into both. */
function openStore(
  { pool, vault, unlock, index }: Awaited<ReturnType<typeof openDatabase>>,
  afterCommit: () => void,
) {
  const store = webhookStore(pool, vault);
  const owner = `${hostname()}/${process.pid}/${randomUUID()}`;
  const writing = { owner, unlock, index };
  const unitOfWork = postgresUnitOfWork({ pool, store, vault, writing, afterCommit });
  return { store, writing, unitOfWork };
}

const webhookStore = (pool: pg.Pool, vault: Vault) =>
  postgresEventStore<WebhookEvent>({
    pool,
    codec: webhookCodec(vault),
    source: WEBHOOKS_SOURCE,
    publish: publishWebhookEvent,
    inline,
  });

interface JobParts {
  readonly pool: pg.Pool;
  readonly maintenance: pg.Pool;
  readonly retention: Retention;
  readonly log: Logger;
  readonly closing: Closing;
  readonly ports: Ports;
  /** Webhooks are not as they were, and that is committed. */
  readonly changed: (webhookIds: readonly string[]) => void;
}

function startJobs(parts: JobParts): void {
  const { pool, maintenance, retention, log, closing, ports, changed } = parts;
  const onError = (error: unknown) => log.error({ err: error }, 'a background job failed');
  const makePartitions = async () => void (await makeDailyPartitions(pool));
  const deleteAgain = async (userId: string) =>
    changed(
      await ports.unitOfWork.inTransaction((tx) => deleteUsers(tx, [{ userId, at: ports.now() }])),
    );
  const dropOldDays = async () => {
    const dropped = await purgePartitions(maintenance, retention);
    if (dropped.length > 0) log.info({ partitions: dropped }, 'days are over');
    await purgeRows(pool, retention);
  };
  const deleteRows = async () => void (await deleteUserRows(pool, deleteAgain));
  const disable = async () => void (await disableFailing(ports)());
  for (const [name, job, everyMs] of [
    ['partitions', makePartitions, PARTITIONS_EVERY_MS],
    ['retention', dropOldDays, RETENTION_EVERY_MS],
    ['rows of deleted users', deleteRows, ROW_DELETIONS_EVERY_MS],
    ['redactions', () => redactUserPayloads(pool), REDACTIONS_EVERY_MS],
    ['failing webhooks', disable, FAILING_EVERY_MS],
    ['expired secrets', () => purgeExpiredSecrets(pool), EXPIRED_SECRETS_EVERY_MS],
  ] as const) {
    closing.add(name, repeat(everyMs, job, onError), (job) => job.stop());
  }
}

interface PortParts {
  readonly pool: pg.Pool;
  readonly vault: Vault;
  readonly store: PostgresEventStore<WebhookEvent>;
  readonly unitOfWork: UnitOfWork;
  readonly dispatch: Dispatch;
  readonly openSealed: OpenSealed;
  readonly onUnreadable: (error: unknown) => void;
}

function portsOf(parts: PortParts, { webhooksPerUserMax }: Config): Ports {
  const { pool, vault, store, unitOfWork, dispatch, openSealed, onUnreadable } = parts;
  return {
    unitOfWork,
    webhooks: webhookReads({ pool, store, vault, onUnreadable }),
    failing: failingReads(pool),
    deliveries: deliveryLog(pool, openSealed),
    webhooksPerUserMax,
    webhookChanged: (webhookId) => dispatch.webhookChanged(webhookId),
    now,
    newWebhookId: () => newId('wh'),
    newSecret: () => newSecret(),
  };
}

const now = (): Date => new Date();
