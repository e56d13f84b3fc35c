import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Event, jsonCodec, schema } from '@junction/eventsourcing';
import { migrate } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import type { Pool } from 'pg';
import { keyRing } from './key-ring.js';
import { vaultMigrations } from './migrations.js';
import { type PersonalFieldsCodec, personalFields } from './personal-fields.js';
import { subjectVault, type Vault } from './subject-vault.js';

const database = useDatabase({
  template: 'vault',
  migrate: (url) => migrate(url, vaultMigrations),
});

describe('an event with a personal field', () => {
  it('is stored with that field sealed, and the others in clear', async () => {
    const { schemaVersion, data } = await codec.encode('webhook-1', configured('user-1'));

    expect(schemaVersion).toBe(1);
    expect(data).toEqual({
      userId: 'user-1',
      url: { subject: 'user-1', sealed: expect.any(String) },
      events: ['draft.created'],
    });
    expect(JSON.stringify(data)).not.toContain('example');
  });

  it('reads as it was written', async () => {
    await expect(roundTrip('webhook-1', configured('user-1'))).resolves.toEqual(
      configured('user-1'),
    );
  });

  it('reads [erased] in that field once the subject was shredded, and the rest as it was', async () => {
    const stored = await store('webhook-1', configured('user-gone'));
    await vault.shred('user-gone');

    await expect(codec.decode('webhook-1', stored)).resolves.toEqual({
      type: 'webhook.configured',
      data: { userId: 'user-gone', url: '[erased]', events: ['draft.created'] },
    });
  });

  it('is sealed and read on the connection of a transaction, which no other can keep waiting', async () => {
    const { pool } = database();
    const client = await pool.connect();
    try {
      await client.query('begin');
      // This transaction makes the subject's key: on another connection the seal would wait for its end.
      const within = codec.within(client);
      const event = configured('user-of-tx');
      const data = await within.encode('webhook-1', event);
      expect(await within.decode('webhook-1', { type: event.type, ...data })).toEqual(event);
      await client.query('rollback');
      const { rowCount } = await pool.query(`select from data_keys where subject = 'user-of-tx'`);
      expect(rowCount).toBe(0);
    } finally {
      client.release();
    }
  });

  it('may leave the field out', async () => {
    const event: WebhookEvent = { type: 'webhook.updated', data: { userId: 'user-1' } };
    await expect(roundTrip('webhook-1', event)).resolves.toEqual(event);
  });

  it('does not read from another stream', async () => {
    const stored = await store('webhook-1', configured('user-1'));
    await expect(codec.decode('webhook-2', stored)).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('does not read when the field lies there in clear', async () => {
    const stored = {
      type: 'webhook.configured',
      schemaVersion: 1,
      data: configured('user-1').data,
    };
    await expect(codec.decode('webhook-1', stored)).rejects.toMatchObject({ code: 'not_sealed' });
  });

  it('does not read as erased when its key is only missing from the ring', async () => {
    const stored = await store('webhook-1', configured('user-1'));
    const other = keyRing(`k2:${Buffer.alloc(32, 2).toString('base64url')}`);
    const withoutKey = codecOn(subjectVault({ pool, ring: other }));

    await expect(withoutKey.decode('webhook-1', stored)).rejects.toMatchObject({
      code: 'unknown_key',
    });
  });
});

it('an event without a personal field is stored as it is, also of a shredded subject', async () => {
  await vault.shred('user-2');
  const event: WebhookEvent = { type: 'webhook.deleted', data: { userId: 'user-2' } };

  await expect(codec.encode('webhook-1', event)).resolves.toEqual({
    schemaVersion: 1,
    data: { userId: 'user-2' },
  });
  await expect(roundTrip('webhook-1', event)).resolves.toEqual(event);
});

type WebhookEvent =
  | Event<'webhook.configured', { userId: string; url: string; events: readonly string[] }>
  | Event<'webhook.updated', { userId: string; url?: string }>
  | Event<'webhook.deleted', { userId: string }>;

let pool: Pool;
let vault: Vault;
let codec: PersonalFieldsCodec<WebhookEvent>;

beforeAll(() => {
  pool = database().pool;
  vault = subjectVault({ pool, ring: keyRing(`k1:${Buffer.alloc(32, 1).toString('base64url')}`) });
  codec = codecOn(vault);
});

function codecOn(vault: Vault): PersonalFieldsCodec<WebhookEvent> {
  const plain = jsonCodec<WebhookEvent>({
    'webhook.configured': schema((data) => data as never),
    'webhook.updated': schema((data) => data as never),
    'webhook.deleted': schema((data) => data as never),
  });
  return personalFields(plain, {
    vault,
    subjectOf: (_, { data }) => data.userId,
    fields: { 'webhook.configured': ['url'], 'webhook.updated': ['url'] },
  });
}

function configured(userId: string): WebhookEvent {
  const url = 'https://receiver.example/hook?token=personal';
  return { type: 'webhook.configured', data: { userId, url, events: ['draft.created'] } };
}

async function store(streamId: string, event: WebhookEvent) {
  const { schemaVersion, data } = await codec.encode(streamId, event);
  const asStored: unknown = JSON.parse(JSON.stringify(data));
  return { type: event.type, schemaVersion, data: asStored };
}

async function roundTrip(streamId: string, event: WebhookEvent): Promise<WebhookEvent> {
  return codec.decode(streamId, await store(streamId, event));
}
