import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { catalogueOf } from '@junction/contracts';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { routesOf } from '@junction/service/http';
import { setCaller } from '@junction/service/testing';
import { STATISTICS, settled, useDatabase } from '@junction/testing';
import express from 'express';
import type { Pool } from 'pg';
import { routes } from '../src/adapters/http/routes.js';
import { deliveryLog } from '../src/adapters/postgres/history/delivery-log.js';
import { SCANNED_MAX } from '../src/adapters/postgres/history/delivery-page.js';
import { eventLog } from '../src/adapters/postgres/history/event-log.js';
import { COUNTED_MAX, deliveryBacklog } from '../src/adapters/postgres/operators/backlog-reads.js';
import { endedDeliveries, failingReasons } from '../src/adapters/postgres/operators/ended-reads.js';
import {
  failingUsers,
  failingWebhooks,
  openCircuits,
} from '../src/adapters/postgres/operators/failing-reads.js';
import { shardOwners } from '../src/adapters/postgres/operators/shard-reads.js';
import { redactions } from '../src/adapters/postgres/privacy/redaction-table.js';
import { candidates } from '../src/adapters/postgres/replaying/replay-candidates.js';
import { replays } from '../src/adapters/postgres/replaying/replays.js';
import { orderedWork } from '../src/adapters/postgres/sending/ordered-work.js';
import { pauseTable } from '../src/adapters/postgres/sending-pauses.js';
import { unsentCounts } from '../src/adapters/postgres/statistics/unsent-counts.js';
import { webhookHours } from '../src/adapters/postgres/statistics/webhook-hours.js';
import { webhookRows } from '../src/adapters/postgres/webhooks/webhook-rows.js';
import { application } from '../src/application/application.js';
import { searchRoom } from '../src/application/history/search-room.js';
import type { Ports } from '../src/application/ports.js';
import { REPLAYABLE, type ReplayableOutcome } from '../src/application/replaying/ports.js';
import { SCANNED_MAX as SCANNED_OF_REPLAY } from '../src/application/replaying/replay-batch.js';
import { explaining } from './filled-deliveries.js';
import { dispatcherSchema } from './schema.js';

/**
 * A single webhook has most of the deliveries and all of the failures of the installation, among thousands that have a
 * few. At first the statistics of the tables are those of before it came: for Postgres every webhook has a few rows.
 */
const [HEAVY, LIGHT, MANY] = [0, 1, 2];
const LIGHT_WEBHOOKS = 3_000;
const WEBHOOKS_OF_MANY = 50;
const HEAVY_PER_DAY = 10_000;
const LIGHT_PER_DAY = 2;
const WAITING = 12_000;
const OPERATIONS = 6_000;
/** Failing webhooks that are gone. */
const GONE = 130_000;
/** The days before today (YYYY-MM-DD), oldest first. */
const DAYS = [4, 3, 2, 1].map((ago) =>
  new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10),
);

/** Rows that a page may read besides ten for each of its own: what it finds by an index alone. */
const FOUND = 1_500;
/** The same where a page passes over what does not match: so many rows, and a look-up or two of each. */
const PASSED_OVER = 5 * SCANNED_MAX;
/** Rows of an ordered webhook: 64 are wanted, and a two-hundredth of the table is expected of each webhook. */
const ORDERED = 64 * 200;
/** Counts of what waits, and the hours of a month for each of 50 webhooks. */
const COUNTED = 25_000;

const database = useDatabase(dispatcherSchema);
const uuidOf = (n: number) =>
  createHash('md5')
    .update(String(n))
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
const webhookOf = (n: number) => `wh_${uuidOf(n)}`;
const UNKNOWN = 'msg_4a4b1c3e-8f0d-5d2c-9b7a-2f0e6a1b7c3d';

const LISTS: readonly (readonly [route: string, url: string, bound: number])[] = [
  ...[
    ['', FOUND],
    ['limit=200', FOUND],
    ['status=exhausted', FOUND],
    ['status=refused,cancelled', FOUND],
    ['status=held&sent_again=false', FOUND],
    ['status=exhausted&sent_again=true', FOUND],
    ['status=retrying', FOUND],
    ['status=pending', PASSED_OVER],
    ['status=succeeded', PASSED_OVER],
    ['status=exhausted&kind=reminder.sent', PASSED_OVER],
    ['kind=reminder.sent', PASSED_OVER],
    ['http_status=5xx', PASSED_OVER],
    ['http_status=4xx', PASSED_OVER],
    ['http_status=204', PASSED_OVER],
    ['sent_again=true', PASSED_OVER],
    [`message_id=${UNKNOWN}`, PASSED_OVER],
    [`from=${DAYS[1]}T00:00:00Z&to=${DAYS[2]}T00:00:00Z`, FOUND],
  ].flatMap(([query, bound]): [string, string, number][] => [
    ['listDeliveries', `/api/deliveries?${query}`, Number(bound)],
    ['listWebhookDeliveries', `/api/webhooks/:webhook/deliveries?${query}`, Number(bound)],
  ]),
  ['listDeliveries', '/api/deliveries?text=nothing-holds-this', FOUND],
  ['listEvents', '/api/events', FOUND],
  ['listEvents', '/api/events?kind=reminder.sent', PASSED_OVER],
  ['listOperations', '/api/webhooks/operations', FOUND],
  ['listOperations', '/api/webhooks/operations?webhook_id=:webhook', FOUND],
  ['listWebhooks', '/api/webhooks?limit=1', FOUND],
  ['listWebhooks', '/api/webhooks?limit=1&state=failing', FOUND],
  ['getStatistics', `/api/webhooks/stats?step=1h&from=${DAYS[0]}T00:00:00Z`, COUNTED],
  ['getStatistics', '/api/webhooks/stats?webhook_ids=:webhook', COUNTED],
  ['getWebhookStatistics', '/api/webhooks/:webhook/stats', COUNTED],
];

const limit = 100;
type Read = (db: Pool) => Promise<readonly unknown[]>;
const OPERATORS: readonly (readonly [what: string, read: Read, bound: number])[] = [
  ['failing webhooks', (db) => failingWebhooks.rows(db, { user_id: null, limit }), FOUND],
  [
    'failing webhooks of a heavy user',
    (db) => failingWebhooks.rows(db, { user_id: uuidOf(HEAVY), limit }),
    FOUND,
  ],
  [
    'failing webhooks of a user with many',
    (db) => failingWebhooks.rows(db, { user_id: uuidOf(MANY), limit }),
    COUNTED,
  ],
  ['users with failing webhooks', (db) => failingUsers.rows(db, { limit }), COUNTED],
  ['a pause', (db) => pauseTable(db).pause({ host: null, userId: uuidOf(LIGHT) }), FOUND],
  ['its end', (db) => pauseTable(db).resume({ host: null, userId: uuidOf(LIGHT) }), FOUND],
  ['open circuits', (db) => openCircuits.rows(db, { limit }), FOUND],
  ['shards', (db) => shardOwners.rows(db, {}), FOUND],
  ['what ended in an hour', (db) => endedDeliveries.rows(db, { hours: 1 }), FOUND],
  ['reasons of failures', (db) => failingReasons.rows(db, {}), COUNTED_MAX],
  ['the backlog', (db) => deliveryBacklog.rows(db, {}), COUNTED_MAX + COUNTED],
];

let explained: Pool;
let server: ReturnType<express.Express['listen']>;
let read = 0;
/** Bodies that were opened. */
let opened = 0;
let user = HEAVY;

beforeAll(async () => {
  const { pool } = database();
  await fill(pool);
  explained = explaining(pool, ({ rows }) => void (read += rows));
  const app = application(portsOn(explained));
  const http = express().set('query parser', 'simple').use(express.json());
  http.use((_req, res, next) => {
    setCaller(res, { kind: 'user', userId: uuidOf(user), via: 'jwt', scopes: [] });
    next();
  });
  for (const { router } of groupsOf(app)) http.use(router);
  server = http.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

describe.each(STATISTICS)('with statistics %s', (_, make) => {
  beforeAll(() => database().pool.query(make));

  describe.each([
    ['one heavy webhook', HEAVY],
    ['a light one', LIGHT],
    ['many light ones', MANY],
  ])('a list of a user with %s', (_, asking) => {
    it.each(LISTS)('%s reads little more than it shows: %s', async (_route, url, bound) => {
      const shown = await itemsOf(asking, url.replace(':webhook', webhookOf(asking)));
      expect(read).toBeLessThanOrEqual(10 * (shown + opened) + bound);
    });

    it('a filter is tried with the latest events, and reads little more', async () => {
      const shown = await itemsOf(asking, '/api/webhooks/filter-preview', {
        filter: { path: 'total', gt: 0 },
      });
      expect(read).toBeLessThanOrEqual(10 * (shown + opened) + FOUND);
    });
  });

  it.each(OPERATORS)('an operator reads little more than is shown: %s', async (_, list, bound) => {
    read = 0;
    const shown = await list(explained);
    expect(read).toBeLessThanOrEqual(10 * shown.length + bound);
  });

  describe.each([
    ['heavy', HEAVY, ORDERED],
    ['light', LIGHT, FOUND],
  ])('lists of one %s webhook', (_, of, ordered) => {
    it.each<[string, readonly ReplayableOutcome[]]>([
      ['what failed', ['held', 'exhausted', 'refused']],
      ['what waits', ['retrying']],
      ['what failed or waits', ['exhausted', 'retrying']],
      ['everything', REPLAYABLE],
    ])('a replay of %s reads little more than a batch takes', async (__, outcomes) => {
      const span = { from: new Date(0), to: new Date(), outcomes };
      read = 0;
      const found = await inTransaction(explained, (tx) =>
        candidates(tx, webhookOf(of), span, null, SCANNED_OF_REPLAY),
      );
      expect(found.length).toBe(
        of === HEAVY
          ? SCANNED_OF_REPLAY
          : outcomes.includes('succeeded')
            ? LIGHT_PER_DAY * DAYS.length
            : 0,
      );
      expect(read).toBeLessThanOrEqual(10 * found.length + FOUND);
    });

    it('the delivery that is sent next in order is found past nothing else', async () => {
      read = 0;
      await orderedWork(explained, async (rows) => rows.map(() => undefined))([webhookOf(of)]);
      expect(read).toBeLessThanOrEqual(ordered);
    });
  });
});

it('the lists are all that there are', () => {
  const queried = groupsOf({} as never)
    .flatMap(({ router }) => routesOf(router))
    .filter(({ method, query, answerType }) => method === 'get' && query && !answerType);
  const ids = [...new Set(LISTS.map(([route]) => route))];
  expect(ids.toSorted()).toEqual(queried.map(({ id }) => id).toSorted());
});

/** Asks as this user, and counts anew what is read. Returns how many items are shown; a body makes it a POST. */
async function itemsOf(asking: number, url: string, body?: object): Promise<number> {
  [user, read, opened] = [asking, 0, 0];
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${url}`, {
    ...(body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  expect([url, response.status]).toEqual([url, 200]);
  return ((await response.json()) as { readonly items: readonly unknown[] }).items.length;
}

const groupsOf = (app: ReturnType<typeof application>) =>
  routes({ app, catalogue: catalogueOf() } as Parameters<typeof routes>[0])({} as never);

/** The ports that lists use. */
function portsOn(pool: Pool): Ports {
  const reads = {
    webhooks: webhookRows(pool),
    deliveries: deliveryLog(pool, async (rows) => {
      opened += rows.length;
      return rows.map(({ bytes }) => bytes);
    }),
    events: eventLog(pool),
    statistics: { ...webhookHours(pool), ...unsentCounts(pool) },
  };
  return {
    ...reads,
    readsUntil: () => reads,
    replays: replays(pool),
    redactions: redactions(pool),
    searching: searchRoom(),
    webhooksPerUserMax: () => WEBHOOKS_OF_MANY,
    catalogue: catalogueOf(),
  } as unknown as Ports;
}

async function fill(pool: Pool): Promise<void> {
  for (const day of DAYS) {
    for (const table of ['seen_events', 'deliveries', 'attempts', 'outcomes']) {
      await pool.query(
        `create table ${table}_${day.replaceAll('-', '')} partition of ${table}
           for values from ('${day}') to ('${day}'::date + 1)`,
      );
    }
  }
  await pool.query(
    `insert into webhooks (webhook_id, user_id, url, href, events, status, paused, has_secret, secret_version, version,
                           created_at, updated_at)
     select md5(n::text)::uuid, md5(owner::text)::uuid, 'https://r.example', 'https://r.example', '{*}', 'active', false,
            false, 0, 1, now(), now()
       from generate_series(0, $1::int) n,
            lateral (select case when n between 3 and $2::int + 1 then ${MANY} else n end as owner) o`,
    [LIGHT_WEBHOOKS, WEBHOOKS_OF_MANY],
  );
  for (const day of DAYS)
    await fillDay(pool, day, { from: 1, to: LIGHT_WEBHOOKS, each: LIGHT_PER_DAY });
  await settled(pool);
  for (const day of DAYS) await fillDay(pool, day, { from: HEAVY, to: HEAVY, each: HEAVY_PER_DAY });
  await fillRest(pool);
}

/** Deliveries of webhooks. A quarter succeeds at once; of the heavy one half is exhausted, and a quarter is held. */
const fillDay = (
  pool: Pool,
  day: string,
  { from, to, each }: { readonly from: number; readonly to: number; readonly each: number },
) =>
  pool.query(
    `with made as (
       select n, w.webhook_id, w.user_id, w.is_heavy,
              (lpad(to_hex((extract(epoch from $1::date) * 1000)::bigint + n * 5000), 12, '0')
               || '70008' || right(w.webhook_id::text, 3) || left(w.webhook_id::text, 8) || '0000')::uuid as id
         from (select webhook_id, user_id, n = ${HEAVY} as is_heavy
                 from generate_series($2::int, $3::int) n join webhooks on webhook_id = md5(n::text)::uuid) w,
              generate_series(1, $4::int) n
     ), seen as (
       insert into seen_events (day, message_id, ce_source, ce_id, user_id, kind, at, verdicts)
       select $1::date, id, '/tests', id::text, user_id, 'draft.created', $1::date + n * interval '5 s', '{}' from made
     ), filed as (
       insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body, sent_at, http_status, total_ms)
       select $1::date, id, id, webhook_id, user_id, 'draft.created', '{"data":{}}',
              case when n % 4 = 0 then now() end, case when n % 4 = 0 then 200 end, 5 from made
     ), attempted as (
       insert into attempts (day, delivery_id, n, at, result, http_status, total_ms)
       select $1::date, id, 1, now(), case when is_heavy then 'http_500' else 'succeeded' end,
              case when is_heavy then 500 else 200 end, 5 from made where n % 4 > 0
     )
     insert into outcomes (day, delivery_id, webhook_id, status, at)
     select $1::date, id, webhook_id, case n % 4 when 1 then 'held' else 'exhausted' end, $1::date + n * interval '5 s'
       from made where is_heavy and n % 4 > 0`,
    [day, from, to, each],
  );

/**
 * Deliveries that wait, others that were sent again, replays of another webhook of the heavy user, hours, and webhooks
 * that all fail and rest, beside failing ones that are gone.
 */
async function fillRest(pool: Pool): Promise<void> {
  const heavy = uuidOf(HEAVY);
  await pool.query(
    `insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
     select delivery_id, day, webhook_id, user_id, 0, 2, 'retrying', now() from deliveries
      where webhook_id = $1 and sent_at is not null limit $2`,
    [heavy, WAITING],
  );
  await pool.query(
    `insert into redeliveries (original_id, delivery_id, day, user_id)
     select delivery_id, uuidv7(), now(), webhook_id from outcomes where webhook_id = $1 and status = 'held'`,
    [heavy],
  );
  await pool.query(
    `insert into operations (operation_id, user_id, webhook_id, status, from_at, to_at, outcomes, counted, count_is_exact,
                             begin_after, ended_at)
     select uuidv7(), $1, uuidv7(), 'completed', now(), now(), '{held}', 1, true, pg_current_xact_id(), now()
       from generate_series(1, $2)`,
    [heavy, OPERATIONS],
  );
  await pool.query(
    `insert into webhook_hours (webhook_id, hour, user_id, succeeded, failed, latency, marks)
     select webhook_id, date_trunc('hour', now()) - n * interval '1 hour', user_id, 1, 0, '{1}', '1'
       from webhooks, generate_series(0, 96) n
      where user_id = any ($1)`,
    [[HEAVY, LIGHT, MANY].map(uuidOf)],
  );
  await pool.query(
    `insert into failing_webhooks (webhook_id, since, last_at, reason)
     select webhook_id, now() - interval '1 hour' - n * interval '1 s', now(), 'http_500'
       from (select webhook_id, row_number() over (order by webhook_id) as n from webhooks) w
      union all
     select gen_random_uuid(), now() - n * interval '1 ms', now(), 'http_500' from generate_series(1, $1::int) n`,
    [GONE],
  );
  await pool.query(
    `insert into circuits (webhook_id, opened_at, probe_at, rest_ms)
     select webhook_id, now(), now() + interval '1 hour', 60000 from webhooks`,
  );
}
