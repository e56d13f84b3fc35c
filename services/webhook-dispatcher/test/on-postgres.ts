import { randomUUID } from 'node:crypto';
import { newId } from '@junction/contracts';
import { inTransaction, postgresEventStore } from '@junction/eventsourcing/postgres';
import type { TestDatabase } from '@junction/testing';
import { keyRing, subjectKeys, subjectVault } from '@junction/vault';
import type { PoolClient } from 'pg';
import { publishWebhookEvent, WEBHOOKS_SOURCE } from '../src/adapters/kafka/publication.js';
import { makeDailyPartitions } from '../src/adapters/postgres/daily-partitions.js';
import { deliveryLog } from '../src/adapters/postgres/history/delivery-log.js';
import { intakeReads } from '../src/adapters/postgres/intake/intake-reads.js';
import { type IntakeKeys, intakeRows } from '../src/adapters/postgres/intake/intake-rows.js';
import { openSealedRows } from '../src/adapters/postgres/sealed-rows.js';
import { shardLeases } from '../src/adapters/postgres/sending/shard-leases.js';
import { postgresUnitOfWork } from '../src/adapters/postgres/unit-of-work.js';
import { WebhookIndex } from '../src/adapters/postgres/webhook-index.js';
import { webhookCodec } from '../src/adapters/postgres/webhooks/event-codec.js';
import { webhookProjection } from '../src/adapters/postgres/webhooks/webhook-projection.js';
import { type Confidential, handleWebhook } from '../src/application/handle-webhook.js';
import { intake } from '../src/application/intake/intake.js';
import type { IncomingEvent } from '../src/application/intake/ports.js';
import type { AttemptRecord, Job, Result } from '../src/application/job.js';
import { deleteUsers } from '../src/application/privacy/delete-users.js';
import { redact } from '../src/application/privacy/redact-payloads.js';
import { BUDGET_WINDOWS, byteBudget } from '../src/application/replaying/byte-budget.js';
import { sendAgain } from '../src/application/replaying/redeliver.js';
import type { DeliveryEvent } from '../src/domain/delivery/events.js';
import type { WebhookCommand } from '../src/domain/webhook/decider.js';
import type { WebhookEvent } from '../src/domain/webhook/events.js';
import type { OptionsChange } from '../src/domain/webhook/options.js';

const ALL_SHARDS = Array.from({ length: 48 }, (_, shard) => shard);

/** A budget that nothing is counted in. */
export const plenty = () =>
  byteBudget(BUDGET_WINDOWS.map(() => ({ count: () => ({ used: 0, resetMs: 0 }) })));

/** The storing half of the service, on a real database. `owner` holds the shards of results. */
export function onPostgres({ pool }: TestDatabase, owner = 'me') {
  const ring = keyRing(`k1:${Buffer.alloc(32, 7).toString('base64url')}`);
  const vault = subjectVault({ pool, ring });
  const unlock = subjectKeys({ pool, ring });
  const store = postgresEventStore<WebhookEvent>({
    pool,
    codec: webhookCodec(vault),
    source: WEBHOOKS_SOURCE,
    publish: publishWebhookEvent,
    inline: [webhookProjection],
  });
  const index = new WebhookIndex(pool);
  const writing = { owner, unlock, index };
  const tables = { store, vault, ring, writing };
  const unitOfWork = postgresUnitOfWork({ pool, ...tables });
  const handle = (webhookId: string, command: WebhookCommand, confidential?: Confidential) =>
    unitOfWork.inTransaction((tx) => handleWebhook(tx, webhookId, command, confidential));

  return {
    vault,
    unlock,
    index,
    store,
    tables,
    unitOfWork,
    handle,
    deleteUser: (userId: string, isFinal = true) =>
      unitOfWork.inTransaction((tx) => deleteUsers(tx, [{ userId, at: new Date(), isFinal }])),
    openSealed: openSealedRows(unlock, (error) => {
      throw error;
    }),
    /** Sends a delivery again; undefined: there is no such delivery. */
    again: (webhookId: string, deliveryId: string) =>
      unitOfWork.inTransaction((tx) =>
        sendAgain(tx, webhookId, deliveryId, {
          askedAt: new Date(),
          spend: () => undefined,
        }),
      ),
    /** Redacts the payload of a delivery. Returns false when there is no such delivery. */
    redact: (webhookId: string, deliveryId: string) =>
      unitOfWork.inTransaction((tx) => redact(tx, webhookId, deliveryId)),
    prepare: () => makeDailyPartitions(pool),

    async newWebhook(
      userId: string = randomUUID(),
      url = `https://r.example/${randomUUID()}`,
      options: OptionsChange = {},
    ) {
      const webhookId = newId('wh');
      const at = new Date().toISOString();
      const events = ['draft.created'];
      await handle(webhookId, {
        type: 'ConfigureWebhook',
        data: { userId, url, events, enabled: true, secret: 'keep', options, at },
      });
      return { userId, webhookId };
    },

    /** Takes events in as the consumer does, in a transaction of its own. */
    takeIn: (events: readonly IncomingEvent[], now?: Date) =>
      inTransaction(pool, (tx) => takeInWithin(tx, { unlock, index }, events, now)),

    /** Makes `owner` the holder of every shard and gives the epoch of each. */
    async holdAll(owner: string) {
      const held = await shardLeases(pool, owner).shardLeases.hold(ALL_SHARDS);
      return new Map(held.map(({ key, epoch }) => [key, epoch]));
    },
  };
}

/** Files events of which nothing is sent ahead, and gives the jobs that are to be sent. */
export async function takeInWithin(
  tx: PoolClient,
  keys: IntakeKeys,
  events: readonly IncomingEvent[],
  now = new Date('2030-01-01T12:00:00Z'),
): Promise<readonly Job[]> {
  const jobs: Job[] = [];
  const { take, file } = intake({
    dispatch: {
      offerAhead: () => false,
      stored: () => undefined,
      released: () => undefined,
      accept: (accepted) => void jobs.push(...accepted),
      ready: async () => undefined,
    },
    written: () => undefined,
    filed: () => undefined,
    after: () => undefined,
  });
  const prepared = await take(
    intakeReads(tx, keys.index),
    events.map((event) => ({ kind: 'valid', event })),
  );
  const taken = prepared.flatMap((one) => (one.kind === 'taken' ? [one.event] : []));
  const accept = await file(intakeRows(tx, keys, now), taken);
  accept();
  return jobs;
}

export const eventOf = (userId: string, parts: Partial<IncomingEvent> = {}): IncomingEvent => ({
  messageId: `msg_${randomUUID()}`,
  source: '/tests',
  id: randomUUID(),
  userId,
  kind: 'draft.created',
  isOptIn: false,
  time: new Date('2030-01-01T00:00:00Z'),
  data: Buffer.from('{"a":1}'),
  at: new Date(),
  ...parts,
});

export const answered = (status: number, parts: Partial<AttemptRecord> = {}): AttemptRecord => ({
  outcome:
    status < 300
      ? { kind: 'succeeded' }
      : { kind: 'failed', reason: `http_${status}`, retryAfterMs: 0 },
  result: status < 300 ? 'succeeded' : `http_${status}`,
  startedAt: new Date(),
  httpStatus: status,
  headersMs: 3,
  totalMs: 4,
  connection: { dnsMs: 1, connectMs: 2, tlsMs: null },
  headers: Buffer.from('date: today'),
  sample: Buffer.from('thanks'),
  ...parts,
});

export const resultOf = (
  job: Job,
  epoch: string,
  fact: DeliveryEvent,
  record: AttemptRecord = answered(200),
  parts: Partial<Result> = {},
): Result => ({
  job,
  epoch,
  at: new Date(),
  record,
  fact,
  version: 1,
  isOutdated: false,
  ...parts,
});

/** A delivery of a new webhook, and the right to send it. */
export async function delivering(database: TestDatabase) {
  await database.pool.query('update shard_leases set owner = null');
  const owner = randomUUID();
  const service = onPostgres(database, owner);
  const epochs = await service.holdAll(owner);
  const { userId } = await service.newWebhook();
  const takeOne = async (parts?: Partial<IncomingEvent>): Promise<Job> => {
    const [job] = await service.takeIn([eventOf(userId, parts)]);
    if (job === undefined) throw new Error('The event matched no webhook.');
    return job;
  };
  const job = await takeOne();
  const { writing } = service.tables;
  return { ...service, writing, takeOne, job, epoch: epochs.get(job.shard) ?? '' };
}

/** A delivery as its owner reads it. */
export async function logOf(database: TestDatabase, { userId, deliveryId }: Job) {
  const { openSealed } = onPostgres(database);
  const detail = await deliveryLog(database.pool, openSealed).detail(userId, deliveryId);
  if (detail === undefined) throw new Error('There is no such delivery.');
  return { ...detail, ...detail.delivery };
}

/** The notices to a user about webhooks that wait to be published, in the order of their types. */
export async function noticesTo({ pool }: TestDatabase, userId: string) {
  const { rows } = await pool.query<{ type: string; payload: Buffer }>(
    `select type, payload from outbox
      where aggregatetype = 'user.events.v1' and aggregateid = $1 order by type, id`,
    [userId],
  );
  return rows.map(({ type, payload }) => ({ type, data: JSON.parse(String(payload)) as unknown }));
}
