import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { inTurn, rebuildProjection } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import { onPostgres } from '../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../test/schema.js';
import { toStoredId } from '../../adapters/postgres/stored-id.js';
import { loadTargets } from '../../adapters/postgres/webhooks/targets.js';
import { webhookReads, webhookRows } from '../../adapters/postgres/webhooks/webhook-rows.js';
import { purgeExpiredSecrets } from '../../adapters/postgres/webhooks/webhook-secrets.js';
import type { WebhookCommand } from '../../domain/webhook/decider.js';
import { service } from '../../service.js';
import { webhookStream } from '../streams.js';
import { configureWebhook, createWebhook } from './configure-webhook.js';

const database = useDatabase(dispatcherSchema);

const DAY_MS = 24 * 3_600_000;
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('the webhooks of a user', () => {
  it('are as many as allowed and no more, also when they are made at the same time', async () => {
    const userId = randomUUID();
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => configure(userId)));
    const refused = made.filter((one) => one.status === 'rejected');
    expect(refused.map(({ reason }) => reason)).toMatchObject(
      Array.from({ length: 5 }, () => ({ kind: 'conflict', code: 'webhook_limit_reached' })),
    );
    expect(await webhookIdsOf(userId)).toHaveLength(3);
    await expect(configure(randomUUID())).resolves.toMatchObject({ created: true });
  });

  it('are one when the same url is configured by several requests at the same time', async () => {
    const userId = randomUUID();
    const url = `https://r.example/${randomUUID()}`;
    const made = await Promise.all(Array.from({ length: 4 }, () => configure(userId, url)));
    expect(made.filter(({ created }) => created)).toHaveLength(1);
    expect(await webhookIdsOf(userId)).toEqual([made[0]?.webhook.webhookId]);
  });
});

describe('webhooks of one url', () => {
  it('are as many as are created, of which configure changes the oldest', async () => {
    const userId = randomUUID();
    const url = `https://r.example/${randomUUID()}`;
    const made = await Promise.all([create(userId, url), create(userId, url)]);
    const [oldest] = made.map(({ webhookId }) => webhookId).toSorted();
    const again = await Promise.all(Array.from({ length: 4 }, () => configure(userId, url)));
    for (const { created, webhook } of again) {
      expect({ created, webhookId: webhook.webhookId }).toEqual({
        created: false,
        webhookId: oldest,
      });
    }
    expect(await webhookIdsOf(userId)).toHaveLength(2);
  });

  it('are limited like all, also when they are created and configured at the same time', async () => {
    const userId = randomUUID();
    const url = `https://r.example/${randomUUID()}`;
    const asked = [create, configure, create, configure, create, create];
    await Promise.allSettled(asked.map((ask) => ask(userId, url)));
    expect(await webhookIdsOf(userId)).toHaveLength(3);
    await expect(create(userId, url)).rejects.toMatchObject({ code: 'webhook_limit_reached' });
    await expect(configure(userId, url)).resolves.toMatchObject({ created: false });
  });

  it('are never the same for different users', async () => {
    const url = `https://r.example/${randomUUID()}`;
    const both = await Promise.all([configure(randomUUID(), url), configure(randomUUID(), url)]);
    expect(both.map(({ created }) => created)).toEqual([true, true]);
  });
});

describe('the metadata of a webhook', () => {
  it('lies sealed in its events', async () => {
    const { webhookId, handle } = await newWebhook();
    await handle(webhookId, change({ options: { metadata: '{"shop":"not in clear"}' } }));
    const { rows } = await database().pool.query<{ stored: string; metadata: string }>(
      `select string_agg(e.data::text, '') as stored,
              (select metadata from webhooks where webhook_id = $2) as metadata
         from events e where e.stream_id = $1`,
      [webhookStream(webhookId), toStoredId(webhookId)],
    );
    expect(rows[0]?.stored).toContain('metadata');
    expect(rows[0]?.stored).not.toContain('not in clear');
    expect(rows[0]?.metadata).toBe('{"shop":"not in clear"}');
  });
});

describe('the secret of a webhook', () => {
  it('signs beside the one before it for as long as the rotation says', async () => {
    const { webhookId, handle } = await newWebhook();
    await handle(webhookId, rotate(fromNow(DAY_MS)), { secret: 'one' });
    await handle(webhookId, rotate(fromNow(DAY_MS)), { secret: 'two' });
    expect(await textsOf(webhookId)).toEqual(['two', 'one']);
    // The earlier of two ends counts.
    await handle(webhookId, rotate(fromNow(-1)), { secret: 'three' });
    expect(await textsOf(webhookId)).toEqual(['three']);
    await purgeExpiredSecrets(database().pool);
    expect(await countOf('webhook_secrets', webhookId)).toBe(1);
  });

  it('says until when the one before it signs', async () => {
    const { webhookId, userId, handle } = await newWebhook();
    const until = async () =>
      (await ports().webhooks.byId(userId, webhookId))?.previousSecretExpiresAt;
    await handle(webhookId, change({ secret: 'set' }), { secret: 'one' });
    expect(await until()).toBeNull();
    const end = fromNow(DAY_MS);
    await handle(webhookId, rotate(end), { secret: 'two' });
    expect((await until())?.toISOString()).toBe(end);
    await handle(webhookId, change({ secret: 'set' }), { secret: 'three' });
    expect(await until()).toBeNull();
  });

  it('is one of five at most, however often it is rotated', async () => {
    const { webhookId, handle } = await newWebhook();
    for (let n = 1; n <= 7; n++) {
      await handle(webhookId, rotate(fromNow(DAY_MS)), { secret: `s${n}` });
    }
    expect(await textsOf(webhookId)).toEqual(['s7', 's6', 's5', 's4', 's3']);
  });

  it('ends all others when it is set, and all when it is deleted', async () => {
    const { webhookId, handle } = await newWebhook();
    await handle(webhookId, rotate(fromNow(DAY_MS)), { secret: 'one' });
    await handle(webhookId, rotate(fromNow(DAY_MS)), { secret: 'two' });
    await handle(webhookId, change({ secret: 'set' }), { secret: 'three' });
    expect(await textsOf(webhookId)).toEqual(['three']);
    await handle(webhookId, change({ secret: 'delete' }));
    expect(await textsOf(webhookId)).toEqual([]);
    expect(await countOf('webhook_secrets', webhookId)).toBe(0);
  });
});

describe('the headers of a webhook', () => {
  it('lie sealed, and go with the requests', async () => {
    const { webhookId, handle } = await newWebhook();
    const headers = { 'X-Api-Key': 'very secret' };
    const options = { headerNames: Object.keys(headers) };
    await handle(webhookId, change({ options }), { headers });
    expect((await target(webhookId))?.headers).toEqual(headers);

    const { rows } = await database().pool.query<{ stored: string }>(
      `select (select string_agg(encode(sealed, 'escape'), '') from webhook_headers)
           || (select string_agg(data::text, '') from events) as stored`,
    );
    expect(rows[0]?.stored).toContain('X-Api-Key');
    expect(rows[0]?.stored).not.toContain('very secret');

    await handle(webhookId, change({ options: { headerNames: [] } }), { headers: {} });
    expect((await target(webhookId))?.headers).toBeUndefined();
    expect(await countOf('webhook_headers', webhookId)).toBe(0);
  });

  it('are waited for: without them nothing is sent', async () => {
    const { webhookId, handle } = await newWebhook();
    const headers = { 'X-Api-Key': 'k' };
    await handle(webhookId, change({ options: { headerNames: ['X-Api-Key'] } }), { headers });
    await database().pool.query('delete from webhook_headers where webhook_id = $1', [
      toStoredId(webhookId),
    ]);
    expect((await target(webhookId))?.status).toBe('paused');
  });
});

describe('the rows of webhooks', () => {
  it('become the same again from the events, also after users were deleted', async () => {
    const { pool } = database();
    const { newWebhook, handle, deleteUser, vault } = onPostgres(database());
    const gone = await newWebhook();
    const { webhookId } = await newWebhook();
    await handle(webhookId, {
      type: 'DisableWebhook',
      data: { reason: 'gone_410', at: fromNow(0) },
    });
    await deleteUser(gone.userId);

    const { codec, inline } = service.streams;
    const rows = async () => (await pool.query('select * from webhooks order by webhook_id')).rows;
    const before = await rows();
    const models = { pool, codec: codec(vault), inline };
    for await (const _ of rebuildProjection(models, 'webhooks')) continue;
    expect(await rows()).toEqual(before);
    expect(await webhookIdsOf(gone.userId)).toEqual([]);
  });
});

const newUrl = () => `https://r.example/${randomUUID()}`;

const configure = async (userId: string, url = newUrl()) =>
  configureWebhook(ports())(userId, { url, events: ['draft.created'], enabled: true });

const create = async (userId: string, url = newUrl()) =>
  createWebhook(ports())(userId, { url, events: ['draft.created'], enabled: true });

function ports() {
  const { pool } = database();
  const { unitOfWork, store, vault } = onPostgres(database());
  const onUnreadable = (error: unknown) => {
    throw error;
  };
  return {
    unitOfWork,
    webhooks: webhookReads({ pool, store, vault, onUnreadable }),
    webhooksPerUserMax: () => 3,
    webhookChanged: () => {},
    now: () => new Date(),
    newWebhookId: () => newId('wh'),
    inTurn,
  };
}

const webhookIdsOf = (userId: string) => webhookRows(database().pool).ids(userId);

async function newWebhook() {
  const service = onPostgres(database());
  return { ...service, ...(await service.newWebhook()) };
}

const rotate = (previousExpiresAt: string): WebhookCommand => ({
  type: 'RotateSecret',
  data: { previousExpiresAt, at: fromNow(0) },
});

const change = (
  data: Partial<Extract<WebhookCommand, { type: 'ChangeWebhook' }>['data']>,
): WebhookCommand => ({ type: 'ChangeWebhook', data: { secret: 'keep', at: fromNow(0), ...data } });

async function target(webhookId: string) {
  const { pool } = database();
  const { vault } = onPostgres(database());
  const load = loadTargets(pool, vault, (error) => {
    throw error;
  });
  return (await load([webhookId])).get(webhookId);
}

const textsOf = async (webhookId: string) =>
  (await target(webhookId))?.secrets.map(({ text }) => text);

async function countOf(table: string, webhookId: string) {
  const { rows } = await database().pool.query<{ count: number }>(
    `select count(*)::int from ${table} where webhook_id = $1`,
    [toStoredId(webhookId)],
  );
  return rows[0]?.count;
}
