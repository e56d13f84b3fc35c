import type pg from 'pg';
import type {
  DeliveryDetail,
  DeliveryFilter,
  DeliverySummary,
  LoggedAttempt,
} from '../../application/delivery-log.js';
import { type Page, pageOf } from '../../application/page.js';
import type { DeliveryStatus } from '../../domain/delivery/events.js';
import { bodyPlace } from './due-work.js';
import type { OpenSealed, SealedBytes } from './sealed-rows.js';
import { fromStoredId, timeOfId, toStoredId } from './stored-id.js';
import { samplePlace } from './write-results.js';

interface DeliveryRow {
  readonly day: string;
  readonly delivery_id: string;
  readonly webhook_id: string;
  readonly message_id: string;
  readonly kind: string;
  readonly status: DeliveryStatus;
  readonly reason: string | null;
  readonly attempts: number;
  readonly next_at: Date | null;
  readonly ended_at: Date | null;
}

interface AttemptRow {
  readonly n: number;
  readonly at: Date;
  readonly result: string;
  readonly http_status: number | null;
  readonly headers_ms: number | null;
  readonly total_ms: number;
  readonly sample: Buffer | null;
  readonly key_id: string | null;
}

/** A delivery is pending while it has a row there; else its latest outcome says what became of it. */
const DELIVERIES = `
select d.day::text, d.delivery_id, d.webhook_id, d.message_id, d.kind,
       coalesce(p.status, o.status, 'pending') as status,
       case when p.delivery_id is null then o.reason else a.result end as reason,
       coalesce(a.n, 0) as attempts, p.next_at,
       case when p.delivery_id is null then o.at end as ended_at
  from deliveries d
  left join pending p on p.delivery_id = d.delivery_id
  left join lateral (select status, reason, at from outcomes o
                      where o.day = d.day and o.delivery_id = d.delivery_id
                      order by at desc limit 1) o on true
  left join lateral (select n, result from attempts a
                      where a.day = d.day and a.delivery_id = d.delivery_id
                      order by n desc limit 1) a on true`;

/** What their owner reads of deliveries. */
export const deliveryLog = (pool: pg.Pool, openSealed: OpenSealed) => ({
  /** Newest first: their ids begin with the time. */
  async page(webhookId: string, filter: DeliveryFilter): Promise<Page<DeliverySummary>> {
    const { after, limit, status, kind } = filter;
    const { rows } = await pool.query<DeliveryRow>({
      name: 'delivery_page',
      text: `select * from (${DELIVERIES}
                where d.webhook_id = $1 and ($2::uuid is null or d.delivery_id < $2)
                  and ($3::text is null or d.kind = $3)) d
              where $4::text is null or status = $4
              order by delivery_id desc limit $5`,
      values: [
        toStoredId(webhookId),
        after === undefined ? null : toStoredId(after),
        kind ?? null,
        status ?? null,
        limit + 1,
      ],
    });
    return pageOf(rows.map(toSummary), limit, ({ deliveryId }) => deliveryId);
  },

  async detail(
    webhookId: string,
    userId: string,
    deliveryId: string,
  ): Promise<DeliveryDetail | undefined> {
    const { rows } = await pool.query<DeliveryRow>({
      name: 'delivery_detail',
      text: `${DELIVERIES} where d.webhook_id = $1 and d.delivery_id = $2`,
      values: [toStoredId(webhookId), toStoredId(deliveryId)],
    });
    const [row] = rows;
    return row && { ...toSummary(row), ...(await contentsOf(pool, openSealed, userId, row)) };
  },
});

/** What was sent and what came back: bodies, opened with the user's key. */
async function contentsOf(
  pool: pg.Pool,
  openSealed: OpenSealed,
  userId: string,
  { day, delivery_id: deliveryId }: DeliveryRow,
): Promise<Pick<DeliveryDetail, 'body' | 'log'>> {
  const { rows: bodies } = await pool.query<Pick<SealedBytes, 'keyId'> & { readonly body: Buffer }>(
    {
      name: 'delivery_body',
      text: `select body, key_id as "keyId" from deliveries where day = $1 and delivery_id = $2`,
      values: [day, deliveryId],
    },
  );
  const { rows } = await pool.query<AttemptRow>({
    name: 'delivery_attempts',
    text: `select n, at, result, http_status, headers_ms, total_ms, sample, key_id from attempts
            where day = $1 and delivery_id = $2 order by n`,
    values: [day, deliveryId],
  });
  const place = bodyPlace(deliveryId);
  const [body, ...samples] = await openSealed([
    ...bodies.map(({ body: bytes, keyId }) => ({ userId, bytes, keyId, place })),
    ...rows.map(({ n, sample, key_id: keyId }) => ({
      userId,
      bytes: sample ?? Buffer.alloc(0),
      keyId,
      place: samplePlace(deliveryId, n),
    })),
  ]);
  return { body, log: rows.map((row, index) => toAttempt(row, samples[index])) };
}

const toSummary = (row: DeliveryRow): DeliverySummary => ({
  deliveryId: fromStoredId('dlv', row.delivery_id),
  webhookId: fromStoredId('wh', row.webhook_id),
  messageId: fromStoredId('msg', row.message_id),
  kind: row.kind,
  status: row.status,
  reason: row.reason,
  attempts: row.attempts,
  createdAt: timeOfId(row.delivery_id),
  nextAttemptAt: row.next_at,
  endedAt: row.ended_at,
});

const toAttempt = (row: AttemptRow, sample: Buffer | undefined): LoggedAttempt => ({
  attempt: row.n,
  at: row.at,
  result: row.result,
  httpStatus: row.http_status,
  headersMs: row.headers_ms,
  totalMs: row.total_ms,
  responseSample: row.sample === null ? null : (sample?.toString() ?? null),
});
