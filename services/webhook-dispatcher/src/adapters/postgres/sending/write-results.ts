import {
  bigints,
  byteas,
  dates,
  ints,
  smallints,
  texts,
  timestamps,
  uuids,
} from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { Result } from '../../../application/job.js';
import type { DeliveryEvent } from '../../../domain/delivery/events.js';
import { type Unlock, USER_KEY } from '../sealed-rows.js';
import { statement } from '../statement.js';
import { answerPlace, toStoredAnswer } from '../stored-answer.js';
import type { WebhookIndex } from '../webhook-index.js';

export interface ResultWriting {
  /** The replica that held the leases when the results came about. */
  readonly owner: string;
  readonly unlock: Unlock;
  /** Index of this replica, which as a rule has taken in the events that it sends. */
  readonly index: WebhookIndex;
}

/**
 * Writes the results of many attempts in one statement, and returns those that it wrote. Results of a shard that
 * another replica has taken are left out: its new owner sends again. Safe to repeat with the same results.
 */
export async function writeResults(
  db: pg.Pool | pg.ClientBase,
  { owner, unlock, index }: ResultWriting,
  results: readonly Result[],
): Promise<readonly Result[]> {
  const answers = await sealedAnswers(unlock, index, results);
  const ends = results.map(({ fact }) => endOf(fact));
  const { rows } = await write(db, {
    owner,
    delivery_ids: uuids(results.map(({ job }) => job.deliveryId)),
    days: dates(results.map(({ job }) => job.day)),
    shards: smallints(results.map(({ job }) => job.shard)),
    epochs: bigints(results.map(({ epoch }) => epoch)),
    numbers: smallints(results.map(({ job }) => job.attempt)),
    started_at: timestamps(results.map(({ record }) => record.startedAt)),
    results: texts(results.map(({ record }) => record.result)),
    http_statuses: smallints(results.map(({ record }) => record.httpStatus)),
    headers_ms: ints(results.map(({ record }) => rounded(record.headersMs))),
    total_ms: ints(results.map(({ record }) => rounded(record.totalMs))),
    answers: byteas(answers),
    key_ids: texts(answers.map((answer) => answer && USER_KEY)),
    statuses: texts(ends.map((end) => end?.status ?? null)),
    reasons: texts(ends.map((end) => end?.reason ?? null)),
    delays_ms: ints(
      results.map(({ fact }) =>
        fact.type === 'delivery.attempt_failed' ? fact.data.delayMs : null,
      ),
    ),
    dns_ms: ints(results.map(({ record }) => rounded(record.connection.dnsMs))),
    connect_ms: ints(results.map(({ record }) => rounded(record.connection.connectMs))),
    tls_ms: ints(results.map(({ record }) => rounded(record.connection.tlsMs))),
    webhook_ids: uuids(results.map(({ job }) => job.webhookId)),
    outdated: smallints(results.map(({ isOutdated }) => (isOutdated ? 1 : 0))),
  });
  const late = rows.filter(({ is_late }) => is_late).map((row) => row.delivery_id);
  if (late.length > 0) await endHolds(db, results, new Set(late));
  const left = new Set(rows.filter(({ is_late }) => !is_late).map((row) => row.delivery_id));
  return left.size === 0 ? results : results.filter(({ job }) => !left.has(job.deliveryId));
}

// Rows of `pending` change by the second, and statistics that found the table empty stay for minutes. A join would be
// planned for an empty table then, and read all of it for each result: so rows are looked up by their keys.
const write = statement<{ delivery_id: string; is_late: boolean }>(
  'write_results',
  `
with result as (
  select r.*
    from unnest(:delivery_ids::uuid[], :days::date[], :shards::smallint[], :epochs::bigint[],
                :numbers::smallint[], :started_at::timestamptz[], :results::text[],
                :http_statuses::smallint[], :headers_ms::int[], :total_ms::int[], :answers::bytea[],
                :key_ids::text[], :statuses::text[], :reasons::text[], :delays_ms::int[],
                :dns_ms::int[], :connect_ms::int[], :tls_ms::int[], :webhook_ids::uuid[],
                :outdated::smallint[])
         as r (delivery_id, day, shard, epoch, n, at, result, http_status, headers_ms, total_ms,
               answer, key_id, status, reason, delay_ms, dns_ms, connect_ms, tls_ms, webhook_id, outdated)
   where exists (select from shard_leases l
                  where l.shard = r.shard and l.owner = :owner and l.epoch = r.epoch)
), ended as (
  delete from pending
   where delivery_id = any (array(select delivery_id from result where status is not null))
  returning delivery_id
), postponed as (
  update pending p
     set attempt = r.n + 1, status = 'retrying', next_at = now() + r.delay_ms * interval '1 ms', is_replay = false
    from result r
   where p.delivery_id = any (array(select delivery_id from result where status is null))
     and p.delivery_id = r.delivery_id and p.attempt = r.n
), logged as (
  insert into attempts (day, delivery_id, n, at, result, http_status, dns_ms, connect_ms, tls_ms,
                        headers_ms, total_ms, answer, key_id)
  select day, delivery_id, n, at, result, http_status, dns_ms, connect_ms, tls_ms,
         headers_ms, total_ms, answer, key_id from result r
   -- Another replica may have filed the event, under other ids, while this one sent it.
   where exists (select from deliveries d where d.day = r.day and d.delivery_id = r.delivery_id)
  on conflict do nothing
), decided as (
  insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
  select day, delivery_id, webhook_id, status, reason, at + total_ms * interval '1 ms'
    from result where status <> 'succeeded' -- which the attempt says
  on conflict do nothing
), judged as (
  select webhook_id, min(at) as since, max(at) as last_at, bool_or(result = 'succeeded') as is_well,
         (array_agg(result order by at desc))[1] as reason
    from result where outdated = 0 group by webhook_id
), well as (
  delete from failing_webhooks f using judged j where f.webhook_id = j.webhook_id and j.is_well
), failing as (
  -- The row of a failing webhook may be an hour old: five days need no more, and most failures need no write.
  insert into failing_webhooks as f (webhook_id, since, last_at, reason)
  select webhook_id, since, last_at, reason from judged where not is_well
  on conflict (webhook_id) do update set last_at = excluded.last_at, reason = excluded.reason
   where f.last_at < excluded.last_at - interval '1 hour' or f.reason <> excluded.reason
)
-- Deliveries that the statements above left out, and those that did not wait any more: as a rule there are none.
select delivery_id, false as is_late from unnest(:delivery_ids::uuid[]) d (delivery_id)
 where not exists (select from result r where r.delivery_id = d.delivery_id)
union all
select delivery_id, true from result r
 where status is not null and not exists (select from ended e where e.delivery_id = r.delivery_id)`,
  { delivery_id: 'dlv' },
);

/**
 * Takes back that deliveries are held whose attempt was under way meanwhile: how it ended says more. A statement of its
 * own, since it must see the hold that the deletion above waited for.
 */
async function endHolds(
  db: pg.Pool | pg.ClientBase,
  results: readonly Result[],
  late: ReadonlySet<string>,
): Promise<void> {
  const jobs = results.map(({ job }) => job).filter(({ deliveryId }) => late.has(deliveryId));
  await deleteHolds(db, {
    days: dates(jobs.map(({ day }) => day)),
    delivery_ids: uuids(jobs.map(({ deliveryId }) => deliveryId)),
  });
}

const deleteHolds = statement(
  'end_holds',
  `delete from outcomes
    where day = any (:days::date[]) and delivery_id = any (:delivery_ids::uuid[]) and status = 'held'`,
);

function endOf(fact: DeliveryEvent): { status: string; reason: string | null } | undefined {
  switch (fact.type) {
    case 'delivery.succeeded':
      return { status: 'succeeded', reason: null };
    case 'delivery.exhausted':
      return { status: 'exhausted', reason: fact.data.reason };
    case 'delivery.refused':
      return { status: 'refused', reason: fact.data.reason };
    case 'delivery.attempt_failed':
      return undefined;
  }
}

async function sealedAnswers(
  unlock: Unlock,
  index: WebhookIndex,
  results: readonly Result[],
): Promise<readonly (Buffer | null)[]> {
  const answered = results.filter(isAnswered);
  if (answered.length === 0) return results.map(() => null);
  const userIds = [...new Set(answered.map(({ job }) => job.userId))];
  const keys = await unlock(userIds, undefined, index.dataKeys(userIds));
  return results.map((result) => {
    const { userId, deliveryId, attempt } = result.job;
    if (!isAnswered(result) || !keys.has(userId)) return null;
    return keys.seal(userId, toStoredAnswer(result.record), answerPlace(deliveryId, attempt));
  });
}

const isAnswered = ({ record: { headers, sample } }: Result): boolean =>
  headers.length + sample.length > 0;

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));
