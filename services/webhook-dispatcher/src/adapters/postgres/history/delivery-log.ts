import { inTransaction } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { z } from 'zod';
import type { DeliveryFilter } from '../../http/history/history-schemas.js';
import type { OpenSealed } from '../sealed-rows.js';
import { statement } from '../statement.js';
import { answerPlace, bodyIn, bodyPlace, fromStoredAnswer } from '../stored-answer.js';
import { dayOf, daysAround, timeOfId } from '../stored-id.js';
import { bodiesAt } from './delivery-bodies.js';
import { deliveryPage } from './delivery-page.js';
import { type DeliveryKey, deliveriesAt } from './delivery-rows.js';
import type { attempt, DeliverySummary } from './history-reads.js';
import { messagePage } from './message-deliveries.js';
import { containing } from './text-search.js';

interface BodyRow extends DeliveryKey {
  readonly body: Buffer;
  /** Present: an answer is behind the body. */
  readonly body_bytes: number | null;
  readonly key_id: string | null;
  readonly traceparent: string | null;
}

/** An attempt as its row says it. */
type Attempt = Pick<
  z.input<typeof attempt>,
  'attempt' | 'at' | 'result' | 'response_status' | 'timing'
>;

interface LoggedAttempt extends Attempt {
  /** Headers of the response; undefined: none came, or they are no longer stored. */
  readonly responseHeaders: Buffer | undefined;
  /** First part of the response's body, as text. */
  readonly response_sample: string | null;
}

export interface DeliveryDetail {
  readonly delivery: DeliverySummary;
  /** Bytes of the request, the same in every attempt; undefined when they are no longer stored. */
  readonly body: Buffer | undefined;
  /** W3C Trace Context of the event; null: none is known. */
  readonly traceparent: string | null;
  readonly log: readonly LoggedAttempt[];
}

type AttemptRow = Attempt & { readonly answer: Buffer | null; readonly key_id: string | null };

/** Makes the reads of deliveries for the owners of webhooks. */
export const deliveryLog = (pool: pg.Pool, openSealed: OpenSealed) => ({
  /** Returns a page, and the time down to which it has looked; null: it is the last one. */
  async page(webhookIds: readonly string[], filter: DeliveryFilter) {
    const { message_id: messageId } = filter;
    const reading = readingOf(pool, openSealed);
    const { items, nextAfter } = await (messageId === undefined
      ? deliveryPage(reading, webhookIds, filter)
      : messagePage(reading, webhookIds, messageId, filter));
    return {
      items,
      nextAfter,
      searchedBackTo: nextAfter === undefined ? null : timeOfId(nextAfter),
    };
  },

  async detail(userId: string, deliveryId: string): Promise<DeliveryDetail | undefined> {
    const read = await readDetail(pool, userId, deliveryId);
    if (read === undefined) return undefined;
    const { delivery, row, attempts } = read;
    const { body, log } = await contentsOf(openSealed, userId, row, attempts);
    const { traceparent } = row;
    return {
      delivery,
      body: delivery.payload_expunged_at === null ? body : undefined,
      traceparent,
      log,
    };
  },

  bodies: (userId: string, deliveryIds: readonly string[]) =>
    bodiesOfUser(pool, openSealed, userId, deliveryIds),
});

const readingOf = (db: pg.Pool, openSealed: OpenSealed) => ({
  db,
  holding: containing(db, openSealed),
});

/** Each may lie in the day of its id, or in the one before or after that. */
async function bodiesOfUser(
  pool: pg.Pool,
  openSealed: OpenSealed,
  userId: string,
  deliveryIds: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const keys = deliveryIds.flatMap((id) =>
    [dayOf(timeOfId(id), 0), ...daysAround(id)].map((day) => ({ day, delivery_id: id })),
  );
  return bodiesAt(pool, openSealed, keys, userId);
}

const readBody = statement<BodyRow>(
  'delivery_body',
  `select day::text, delivery_id, body, body_bytes, key_id, traceparent from deliveries
    where user_id = :user_id and delivery_id = :delivery_id
      and day between :first_day::date and :last_day::date`,
  { delivery_id: 'dlv' },
);

const readAttempts = statement<AttemptRow>(
  'delivery_attempts',
  `select n as attempt, m.at, m.result, m.http_status as response_status,
          json_build_object('dns_ms', m.dns_ms, 'connect_ms', m.connect_ms, 'tls_ms', m.tls_ms,
                            'first_byte_ms', m.headers_ms, 'total_ms', m.total_ms) as timing,
          a.answer, a.key_id
     from attempts_made m left join attempts a using (day, delivery_id, n)
    where day = :day and delivery_id = :delivery_id order by n`,
  { delivery_id: 'dlv' },
);

interface ReadDetail {
  readonly delivery: DeliverySummary;
  readonly row: BodyRow;
  readonly attempts: readonly AttemptRow[];
}

/** Reads as of one moment: otherwise an attempt that ends meanwhile would stand beside the earlier status. */
const readDetail = (
  pool: pg.Pool,
  userId: string,
  deliveryId: string,
): Promise<ReadDetail | undefined> =>
  inTransaction(pool, async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    const [first_day, last_day] = daysAround(deliveryId);
    const ids = { user_id: userId, delivery_id: deliveryId };
    const { rows } = await readBody(tx, { ...ids, first_day, last_day });
    const [delivery] = await deliveriesAt(tx, rows);
    const [row] = rows;
    if (row === undefined || delivery === undefined) return undefined;
    const { rows: attempts } = await readAttempts(tx, { day: row.day, delivery_id: deliveryId });
    return { delivery, row, attempts };
  });

/** Opens, with the user's key, the body that was sent and the headers and bodies that came back. */
async function contentsOf(
  openSealed: OpenSealed,
  userId: string,
  { delivery_id: deliveryId, body, body_bytes: bodyBytes, key_id: keyId }: BodyRow,
  rows: readonly AttemptRow[],
): Promise<Pick<DeliveryDetail, 'body' | 'log'>> {
  const sealed = (bytes: Buffer | null, keyId: string | null, place: string) =>
    bytes === null ? [] : [{ userId, bytes, keyId, place }];
  const places = [
    ...sealed(body, keyId, bodyPlace(deliveryId)),
    ...rows.flatMap(({ attempt, answer, key_id }) =>
      sealed(answer, key_id, answerPlace(deliveryId, attempt)),
    ),
  ];
  const opened = await openSealed(places);
  const contents = new Map(places.map(({ place }, index) => [place, opened[index]]));
  const stored = contents.get(bodyPlace(deliveryId));
  const answerBehind = bodyBytes === null ? undefined : stored?.subarray(bodyBytes);
  return {
    body: stored && bodyIn(stored, bodyBytes),
    log: rows.map((row) =>
      toAttempt(row, answerBehind ?? contents.get(answerPlace(deliveryId, row.attempt))),
    ),
  };
}

function toAttempt(row: AttemptRow, stored: Buffer | undefined): LoggedAttempt {
  const { attempt, at, result, response_status, timing } = row;
  const answer = stored && fromStoredAnswer(stored);
  return {
    attempt,
    at,
    result,
    response_status,
    timing,
    responseHeaders: answer?.headers.length ? answer.headers : undefined,
    response_sample: answer?.sample.length ? answer.sample.toString() : null,
  };
}
