import { newId } from '@junction/contracts';
import { inTransaction } from '@junction/eventsourcing/postgres';
import type { TestDatabase } from '@junction/testing';
import { deliveryLog } from '../src/adapters/postgres/history/delivery-log.js';
import { countReplay } from '../src/adapters/postgres/replaying/count-replay.js';
import { replays } from '../src/adapters/postgres/replaying/replays.js';
import { toStoredId } from '../src/adapters/postgres/stored-id.js';
import { advanceReplay } from '../src/application/replaying/advance-replay.js';
import type { ReplayableOutcome, ReplaySpan } from '../src/application/replaying/ports.js';
import { eventOf, onPostgres, plenty } from './on-postgres.js';

const HOUR_MS = 3_600_000;
/** A transaction id of a cluster that had seen more transactions than this one. */
export const NUMBERED_AHEAD = `(pg_current_xact_id()::text::bigint + 5000000000)::text::xid8`;

/** A webhook of a new user with so many deliveries that ended like this. */
export async function endedDeliveries(
  database: TestDatabase,
  status: ReplayableOutcome,
  many: number,
) {
  const { pool } = database;
  const parts = onPostgres(database);
  const webhook = await parts.newWebhook();
  const jobs = await parts.takeIn(Array.from({ length: many }, () => eventOf(webhook.userId)));
  const webhookId = toStoredId(webhook.webhookId);
  const endAll = async (ending: ReplayableOutcome) => {
    await pool.query(
      `with ended as (delete from pending where webhook_id = $1 returning day, delivery_id)
       insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
       select day, delivery_id, $1, $2, 'a_reason', clock_timestamp() from ended`,
      [webhookId, ending],
    );
  };
  await endAll(status);
  const span = (outcomes: readonly ReplayableOutcome[]): ReplaySpan => ({
    from: new Date(Date.now() - HOUR_MS),
    to: new Date(Date.now() + 1),
    outcomes,
  });
  const log = deliveryLog(pool, parts.openSealed);
  return {
    webhook,
    ids: jobs.map(({ deliveryId }) => deliveryId),
    endAll,
    async log(id: string) {
      const detail = await log.detail(webhook.userId, id);
      return detail && { ...detail, ...detail.delivery };
    },
    again: parts.again,
    rows: {
      advance: (budget = plenty()) =>
        parts.unitOfWork.inTransaction((tx) => advanceReplay(tx, budget)),
    },
    count: (outcomes: readonly ReplayableOutcome[]) =>
      countReplay(pool)(webhook.webhookId, span(outcomes)),
    begin: (outcomes: readonly ReplayableOutcome[]) =>
      replays(pool).begin(newId('op'), webhook, span(outcomes)),
    /** Returns the ids of the deliveries that the waiting ones repeat. */
    async pending() {
      const { rows } = await pool.query<{ original_id: string }>(
        `select r.original_id from pending p join redeliveries r using (delivery_id)
          where p.webhook_id = $1`,
        [webhookId],
      );
      return rows.map((row) => `dlv_${row.original_id}`);
    },
    /** Files another delivery, which failed once and waits for an hour. */
    async retrying() {
      const [job] = await parts.takeIn([eventOf(webhook.userId)]);
      const deliveryId = job?.deliveryId ?? '';
      await pool.query(
        `update pending set status = 'retrying', attempt = 2, next_at = now() + interval '1 hour'
          where delivery_id = $1`,
        [toStoredId(deliveryId)],
      );
      return deliveryId;
    },
    /** Files new deliveries, which are due. */
    takeLive: async (events: number) =>
      parts.takeIn(Array.from({ length: events }, () => eventOf(webhook.userId))),
    clear: () => endAll('succeeded'),
  };
}

/** Until it ends, whoever files a delivery waits; whoever reads does not. */
export async function blockFiling({ pool }: TestDatabase) {
  const blocking = await pool.connect();
  await blocking.query('begin');
  await blocking.query('lock table pending in share mode');
  return {
    async end() {
      await blocking.query('commit');
      blocking.release();
    },
  };
}

/** Transactions on this database that wait for another. */
export async function waitingForLocks({ pool }: TestDatabase): Promise<number> {
  const { rows } = await pool.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.waiting ?? 0;
}

/** While another transaction is under way, which ends in any case: who waits for it would wait for ever. */
export const duringAnother = <T>({ pool }: TestDatabase, work: () => Promise<T>): Promise<T> =>
  inTransaction(pool, async (other) => {
    await other.query('select pg_current_xact_id()');
    return work();
  });
