import { beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { keyRing, VaultError } from '@junction/vault';
import { onPostgres } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import {
  ensureWebhookKey,
  rotateWebhookKeys,
} from '../../../application/sending/rotate-webhook-keys.js';
import { type WebhookKeys, webhookKeys } from '../../../application/sending/webhook-keys.js';
import { postgresWebhookKeys } from './webhook-keys.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2030, 0, 1);

const database = useDatabase(dispatcherSchema);
const ring = keyRing(`k1:${Buffer.alloc(32, 7).toString('base64url')}`);

let nowMs: number;
const now = () => new Date(nowMs);
const store = () => postgresWebhookKeys(database().pool, ring);
const ports = () => ({
  quietWork: onPostgres(database()).unitOfWork,
  webhookKeyStore: store(),
  now,
});
const webhookKeyAdded = () => undefined;
const rotate = async (hasLeaked: boolean) =>
  rotateWebhookKeys({ ...ports(), webhookKeys: await replica(), webhookKeyAdded })({ hasLeaked });
const replica = async () => webhookKeys(store().load, now);

beforeEach(async () => {
  nowMs = START;
  await database().pool.query('truncate webhook_keys');
  await Promise.all(Array.from({ length: 5 }, async () => ensureWebhookKey(ports())));
});

describe('the first key', () => {
  it('is one, although several replicas start at the same moment, and signs at once', async () => {
    const keys = await replica();
    expect(keys.published()).toHaveLength(1);
    expect(keys.signing(now())).toHaveLength(1);
    await ensureWebhookKey(ports());
    expect((await replica()).published()).toEqual(keys.published());
  });

  it('lies in the table sealed for its own row', async () => {
    const { rows } = await database().pool.query<{ row: string }>(
      `select concat(public_key, encode(private_sealed, 'escape')) as row from webhook_keys`,
    );
    expect(rows).toMatchObject([{ row: expect.not.stringContaining('whsk_') }]);
    await database().pool.query(`update webhook_keys set kid = 'another'`);
    await expect(store().load()).rejects.toThrow(VaultError);
  });
});

describe('a rotation', () => {
  it('destroys the private half of a key that is published no more', async () => {
    await rotate(false);
    nowMs += 3 * DAY_MS;
    await store().destroyEnded(now());
    const keys = await store().load();
    expect(keys).toHaveLength(2);
    expect(keys.filter(({ privateKey }) => privateKey !== undefined)).toHaveLength(1);
    expect((await replica()).signing(now())).toHaveLength(1);
  });

  it('signs with the new key at once when one has leaked, and publishes and keeps no other', async () => {
    await rotate(false); // One that is under way ends as well.
    nowMs += HOUR_MS;
    const { publicKey, signsFrom } = await rotate(true);
    const keys = await replica();

    expect(signsFrom).toEqual(now());
    expect(trusted(keys)).toEqual([publicKey]);
    expect(keys.signing(now())).toHaveLength(1);
    const kept = (await store().load()).filter(({ privateKey }) => privateKey !== undefined);
    expect(kept.map((key) => key.publicKey)).toEqual([publicKey]);
  });
});

const trusted = (keys: WebhookKeys) => keys.published().map(({ publicKey }) => publicKey);
