import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { encodeDomainEvent, newId } from '@junction/contracts';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import { onPostgres } from '../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../test/schema.js';
import { onRecoveries } from '../../adapters/kafka/recoveries.js';
import { transactionOn } from '../../adapters/postgres/unit-of-work.js';
import { webhookStream } from '../streams.js';
import { disableRecovered } from './disable-recovered.js';

const MINUTE_MS = 60_000;

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

describe('an account that its owner has taken back', () => {
  it('has the webhooks disabled that somebody else may have made or changed, and no other', async () => {
    const { newWebhook, lastOf } = world();
    const userId = randomUUID();
    const [theirs, own, others] = [
      await newWebhook(userId),
      await newWebhook(userId),
      await newWebhook(),
    ];
    const webhookIds = [theirs.webhookId, others.webhookId, newId('wh')];
    expect(await recovered({ userId, webhookIds })).toEqual([theirs]);
    expect(await lastOf(theirs)).toMatchObject({
      type: 'webhook.disabled',
      data: { reason: 'user' },
    });
    for (const one of [own, others])
      expect(await lastOf(one)).toMatchObject({ type: 'webhook.configured' });
    expect(await recovered({ userId, webhookIds: [] })).toEqual([]);
  });

  it('has all of them disabled after a reset, with what waits for them, and once', async () => {
    const { newWebhook, handle, lastOf, store } = world();
    const userId = randomUUID();
    const [active, paused] = [await newWebhook(userId), await newWebhook(userId)];
    const at = new Date().toISOString();
    const pause = { type: 'ChangeWebhook', data: { paused: true, secret: 'keep', at } } as const;
    await handle(paused.webhookId, pause);
    await recovered({ userId, allWebhooks: true });
    for (const one of [active, paused])
      expect(await lastOf(one)).toMatchObject({ type: 'webhook.disabled' });
    await recovered({ userId, allWebhooks: true });
    const { history } = await store.load(webhookStream(active.webhookId));
    expect(history.map(({ type }) => type)).toEqual(['webhook.configured', 'webhook.disabled']);
  });

  it('keeps the webhooks that were changed since, when it is told of late or again', async () => {
    const { newWebhook, lastOf } = world();
    const userId = randomUUID();
    const webhook = await newWebhook(userId);
    const occurredAt = new Date(Date.now() - 11 * MINUTE_MS);
    expect(await recovered({ userId, allWebhooks: true, occurredAt })).toEqual([]);
    expect(await lastOf(webhook)).toMatchObject({ type: 'webhook.configured' });
  });

  it('has those disabled too that were made until the ends of its sessions were heard', async () => {
    const { newWebhook, lastOf } = world();
    const userId = randomUUID();
    const made: { readonly webhookId: string }[] = [];
    const wait = async () => void made.push(await newWebhook(userId));
    expect(await recovered({ userId, allWebhooks: true }, wait)).toEqual(made);
    expect(made).toHaveLength(1);
    for (const one of made) expect(await lastOf(one)).toMatchObject({ type: 'webhook.disabled' });
  });

  it('is not told by a record that cannot be read', async () => {
    await expect(handled(Buffer.from('no JSON'))).rejects.toMatchObject({
      code: 'value_unreadable',
    });
  });
});

function world() {
  const postgres = onPostgres(database());
  const lastOf = async ({ webhookId }: { readonly webhookId: string }) =>
    (await postgres.store.load(webhookStream(webhookId))).history.at(-1);
  return { ...postgres, lastOf };
}

interface Recovered {
  readonly userId: string;
  readonly webhookIds?: string[];
  readonly allWebhooks?: boolean;
  readonly occurredAt?: Date;
}

/** Handles the record of a recovery, and returns the webhooks that were disabled. */
const recovered = async (data: Recovered, wait?: () => Promise<void>) =>
  handled(
    encodeDomainEvent('user.recovered', {
      reason: 'reset',
      webhookIds: [],
      allWebhooks: false,
      portalIds: [],
      occurredAt: new Date(),
      ...data,
    }),
    wait,
  );

async function handled(value: Buffer, wait = async () => {}) {
  const { tables } = onPostgres(database());
  const disabled: object[] = [];
  const handle = onRecoveries(
    async (tx, user) => disableRecovered(transactionOn(tx, tables), user, new Date()),
    (webhooks) => void disabled.push(...webhooks),
    wait,
  );
  const record = {
    topic: 'auth.events.v1',
    partition: 0,
    offset: 0n,
    key: 'k',
    timestamp: new Date(),
  };
  const headers = { ce_type: 'user.recovered' };
  const after = await inTransaction(database().pool, async (tx) =>
    handle([{ ...record, headers, value }], tx),
  );
  after?.();
  return disabled;
}
