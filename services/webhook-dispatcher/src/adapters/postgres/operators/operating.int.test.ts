import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { onPostgres } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import { toStoredId } from '../stored-id.js';
import { endedDeliveries } from './ended-reads.js';
import { failingUsers, failingWebhooks, openCircuits } from './failing-reads.js';
import { shardOwners } from './shard-reads.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

describe('webhooks that fail', () => {
  it('come with their users, the longest failing first', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const oldest = await failing(one, '3 hours');
    await failing(one, '1 hour');
    const second = await failing(other, '2 hours');
    await onPostgres(database()).newWebhook(other);
    const all = await failingWebhooks.rows(pool(), { user_id: null, limit: 2 });
    expect(all.map(({ webhook_id }) => webhook_id)).toEqual([oldest, second]);
    expect(all.map(failingWebhooks.show)[0]).toMatchObject({
      user_id: one,
      host: 'r.example',
      reason: 'timeout',
      waiting: 0,
      marks: '',
    });
    expect(await failingWebhooks.rows(pool(), { user_id: other, limit: 10 })).toHaveLength(1);
    expect(await failingUsers.rows(pool(), { limit: 10 })).toMatchObject([
      { user_id: one, failing: 2, webhooks: 2 },
      { user_id: other, failing: 1, webhooks: 2 },
    ]);
  });
});

describe('circuits', () => {
  it('are open until their probe is due', async () => {
    const { webhookId, userId } = await onPostgres(database()).newWebhook();
    for (const [probe, state] of [
      ['1 minute', 'open'],
      ['-1 second', 'half_open'],
    ]) {
      await sql(
        `insert into circuits values ($1, now(), now() + $2::interval, 1000)
         on conflict (webhook_id) do update set probe_at = excluded.probe_at`,
        toStoredId(webhookId),
        probe,
      );
      expect(await openCircuits.rows(pool(), { limit: 10 })).toMatchObject([
        { webhook_id: webhookId, user_id: userId, state },
      ]);
    }
  });
});

describe('ended deliveries', () => {
  it('are counted by status and reason for so many hours, without successes', async () => {
    const end = (status: string, reason: string | null, ago: string) =>
      sql(
        `insert into outcomes (day, delivery_id, status, reason, at)
         select current_date, gen_random_uuid(), $1, $2, now() - $3::interval`,
        status,
        reason,
        ago,
      );
    await end('exhausted', 'http_500', '1 minute');
    await end('exhausted', 'http_500', '2 minutes');
    await end('held', 'webhook_disabled', '1 minute');
    await end('succeeded', null, '1 minute');
    await end('exhausted', 'http_500', '2 hours');
    expect(await endedDeliveries.rows(pool(), { hours: 1 })).toEqual([
      { status: 'exhausted', reason: 'http_500', count: 2 },
      { status: 'held', reason: 'webhook_disabled', count: 1 },
    ]);
  });
});

describe('shards', () => {
  it('are listed by owner, with replicas that have none and shards that no replica has', async () => {
    await sql(
      `update shard_leases
          set owner = case when shard < 2 then 'gone' when shard < 5 then 'here' end,
              expires_at = now() + case when shard < 2 then interval '-3 s' else interval '4 s' end`,
    );
    await sql(`insert into replicas values ('here', now() + interval '5 s', '{"partitions":[0,3]}'),
                                           ('idle', now() + interval '5 s', '{"partitions":[]}')`);
    const [{ items: owners, free } = { items: [], free: [] }] = await shardOwners.rows(pool(), {});
    expect(owners).toEqual([
      {
        owner: 'gone',
        shards: [0, 1],
        lease_left_s: expect.closeTo(-3, 0),
        alive: false,
        partitions: [],
      },
      {
        owner: 'here',
        shards: [2, 3, 4],
        lease_left_s: expect.closeTo(4, 0),
        alive: true,
        partitions: [0, 3],
      },
      { owner: 'idle', shards: [], lease_left_s: 0, alive: true, partitions: [] },
    ]);
    expect(free).toHaveLength(43);
  });
});

const pool = () => database().pool;
const sql = (text: string, ...values: unknown[]) => pool().query(text, values);

async function failing(userId: string, since: string): Promise<string> {
  const { webhookId } = await onPostgres(database()).newWebhook(userId);
  await sql(
    `insert into failing_webhooks values ($1, now() - $2::interval, now(), 'timeout')`,
    toStoredId(webhookId),
    since,
  );
  return webhookId;
}
