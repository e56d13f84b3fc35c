import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { useDatabase } from '@junction/testing';
import type pg from 'pg';
import { dispatcherSchema, onPostgres } from '../../../../test/on-postgres.js';
import type { ReplaySpan } from '../../../application/replay.js';
import { toStoredId } from '../stored-id.js';
import { replayRows } from './advance-replays.js';
import { countReplay } from './count-replay.js';
import { scan } from './replay-candidates.js';
import { replays } from './replays.js';

/** More than are counted in one statement, and than are looked at for one batch. */
const MANY = 12_000;
/** One in so many is of another kind. */
const RARE_EVERY = 150;
/** Not a divisor of all of them. */
const PAGE = 1_777;
const HOUR_MS = 3_600_000;
const database = useDatabase(dispatcherSchema);
const span: ReplaySpan = {
  from: new Date(Date.now() - HOUR_MS),
  to: new Date(),
  outcomes: ['exhausted'],
};
const WANTED = [
  ['what failed', span],
  ['everything', { ...span, outcomes: ['exhausted', 'succeeded'] }],
] as const;
let webhook: Filled;
/** So many were filed by now: no two have the same id. */
let filled = 0;
/** Of all that are to be sent again, in their order. */
let ids: readonly string[];

beforeAll(async () => {
  const { prepare, newWebhook } = onPostgres(database());
  await prepare();
  webhook = await newWebhook();
  await fill(webhook, MANY);
  ids = await idsWhere(webhook, 'true');
});

/** What was sent again counts as under way: the next test finds it as it was. */
afterEach(async () => {
  for (const text of [
    'delete from pending',
    'delete from redeliveries',
    'delete from deliveries where original_id is not null',
  ]) {
    await database().pool.query(text);
  }
});

describe('the deliveries of a large replay', () => {
  it('are counted one by one, whatever statement finds them', async () => {
    const count = countReplay(database().pool);
    const all = { count: MANY, isExact: true };
    expect(await count(webhook.webhookId, span)).toEqual(all);
    const outcomes = ['exhausted', 'succeeded'] as const;
    expect(await count(webhook.webhookId, { ...span, outcomes })).toEqual(all);
  });

  it('are at least so many when the time for counting is over', async () => {
    const count = countReplay(database().pool, 0);
    const { count: counted, isExact } = await count(webhook.webhookId, span);
    expect(isExact).toBe(false);
    expect(counted).toBeGreaterThan(0);
    expect(counted).toBeLessThan(MANY);
  });

  it('are counted for two at once, while some wait, and the next is told to come back', async () => {
    const count = countReplay(database().pool, 0);
    const asked = Array.from({ length: 2 + 20 + 1 }, async () => count(webhook.webhookId, span));
    const answers = await Promise.allSettled(asked);
    expect(answers.pop()).toMatchObject({ reason: { kind: 'unavailable', code: 'too_busy' } });
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(2 + 20);
  });

  it.each(WANTED)(
    'come page by page, each once and none left out, when %s is wanted',
    async (_, one) => {
      const found: string[] = [];
      for (;;) {
        const after = found.at(-1) ?? null;
        const page = await scan(database().pool, webhook.webhookId, one, after, PAGE);
        found.push(...page.map(({ delivery_id: id }) => id));
        if (page.length < PAGE) break;
      }
      // Not as a whole: of so many a difference would take minutes to print.
      expect(found).toHaveLength(MANY);
      expect(found.findIndex((id, index) => id !== ids[index])).toBe(-1);
    },
  );

  it.each(WANTED)(
    'are found by an index, however many pages the connection has read, when %s is wanted',
    async (_, one) => {
      await inTransaction(database().pool, async (tx) => {
        const page = async () => scan(tx, webhook.webhookId, one, null, 100);
        for (let n = 0; n < 10; n++) await page();
        const before = await rowsReadIn(tx);
        expect(await page()).toHaveLength(100);
        expect((await rowsReadIn(tx)) - before).toBeLessThan(MANY / 10);
      });
    },
  );

  it('are gone through to the end by any number of replicas, whenever one of them ends in the middle', async () => {
    const { pool } = database();
    // Half of them: a batch takes its time, and there is no third thing that could be seen of the rest.
    const to = new Date(span.from.getTime() + MANY / 2);
    const begun = await begin(webhook, { ...span, to, kinds: ['briefing.sent'] });
    let made = 0;
    const replica = replayRows(pool, onPostgres(database()).unlock, () => {
      if (++made % 5 === 0) throw new Error('The replica ends here.');
      return newId('dlv');
    });
    let breaks = 0;
    const step = () => replica.advance().catch(() => void breaks++);
    const ended = await untilEnded(webhook, begun.operationId, async () => {
      await Promise.all([step(), step()]);
    });

    const all = await idsWhere(webhook, `kind = 'briefing.sent'`);
    const rare = all.slice(0, all.length / 2);
    expect(ended).toMatchObject({ status: 'completed', sent: rare.length, skipped: 0 });
    expect(await repeated(webhook)).toEqual(rare);
    expect(breaks).toBeGreaterThan(5);
  });

  it('do not end where retention has taken a day, and its outcomes not yet', async () => {
    const { pool } = database();
    const { newWebhook, unlock } = onPostgres(database());
    const other = await newWebhook();
    await fill(other, 750);
    const all = await idsWhere(other, 'true');
    await pool.query('delete from deliveries where delivery_id = any ($1::uuid[])', [
      all.slice(0, 700).map(toStoredId),
    ]);
    const replica = replayRows(pool, unlock, () => newId('dlv'));
    const { operationId } = await begin(other, span);
    const ended = await untilEnded(other, operationId, async () => void (await replica.advance()));
    expect(ended).toMatchObject({ status: 'completed', count: 50, sent: 50 });
    expect(await repeated(other)).toEqual(all.slice(700));
  });
});

interface Filled {
  readonly userId: string;
  readonly webhookId: string;
}

/** A millisecond after the other, in turns filed under today and tomorrow. */
async function fill({ userId, webhookId }: Filled, many: number): Promise<void> {
  const { pool } = database();
  const about = [toStoredId(webhookId), userId, span.from.getTime(), many, filled];
  filled += many;
  await pool.query(
    `with made as (
       select n, (now() at time zone 'utc')::date + n % 2 as day,
              (lpad(to_hex($3::bigint + n), 12, '0') || '70008000' || lpad(to_hex($5::int + n), 12, '0'))::uuid
                as delivery_id
         from generate_series(0, $4::int - 1) n
     ), filed as (
       insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body)
       select day, delivery_id, gen_random_uuid(), $1, $2,
              case when n % ${RARE_EVERY} = 0 then 'briefing.sent' else 'draft.created' end, '{}'
         from made
     )
     insert into outcomes (day, delivery_id, webhook_id, status, at)
     select day, delivery_id, $1, 'exhausted', now() from made`,
    about,
  );
  await pool.query('analyze deliveries, outcomes');
}

/** So many rows of all tables this transaction has looked at by now. */
async function rowsReadIn(tx: pg.ClientBase): Promise<number> {
  const { rows } = await tx.query<{ read: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
       from pg_stat_xact_user_tables`,
  );
  return rows[0]?.read ?? 0;
}

const begin = async (about: Filled, of: ReplaySpan) => {
  const { pool } = database();
  const counted = await countReplay(pool)(about.webhookId, of);
  return replays(pool).begin(newId('op'), about, of, counted);
};

/** It begins when every transaction that was under way is over, those of other databases too. */
async function untilEnded({ userId }: Filled, operationId: string, step: () => Promise<void>) {
  const { find } = replays(database().pool);
  for (let steps = 0; steps < MANY; steps++) {
    await step();
    const found = await find(userId, operationId);
    if (found?.status !== 'running') return found;
  }
  return undefined;
}

async function idsWhere({ webhookId }: Filled, condition: string): Promise<readonly string[]> {
  const { rows } = await database().pool.query<{ delivery_id: string }>(
    `select delivery_id from deliveries
      where webhook_id = $1 and original_id is null and ${condition} order by delivery_id`,
    [toStoredId(webhookId)],
  );
  return rows.map((row) => `dlv_${row.delivery_id}`);
}

/** What was sent again, as often as it was. */
async function repeated({ userId }: Filled): Promise<readonly string[]> {
  const { rows } = await database().pool.query<{ original_id: string }>(
    'select original_id from redeliveries where user_id = $1 order by original_id',
    [userId],
  );
  return rows.map((row) => `dlv_${row.original_id}`);
}
