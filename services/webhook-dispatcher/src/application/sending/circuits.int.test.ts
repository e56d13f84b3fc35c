import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { noticesTo as allNoticesTo, onPostgres } from '../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../test/schema.js';
import { toStoredId } from '../../adapters/postgres/stored-id.js';
import { loadTargets } from '../../adapters/postgres/webhooks/targets.js';
import { webhookRows } from '../../adapters/postgres/webhooks/webhook-rows.js';
import type { WebhookOwner } from '../unit-of-work.js';
import { circuitRecorder } from './circuits.js';
import type { CircuitChange } from './ports.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

const OPENED_AT = new Date('2030-01-01T00:00:00Z');
const FIRST_REST = { probeAt: new Date('2030-01-01T00:00:30Z'), restMs: 30_000 };
const SECOND_REST = { probeAt: new Date('2030-01-01T00:01:30Z'), restMs: 60_000 };
const CLOSED: CircuitChange = { to: 'closed' };
const opened = (rest = FIRST_REST): CircuitChange => ({ to: 'open', ...rest });

describe('an open circuit', () => {
  it('is stored with its rest, for its owner and for the replica that takes over', async () => {
    const webhook = await newWebhook();
    await record(webhook.webhookId, opened());
    expect(await circuitOf(webhook)).toEqual({ openedAt: OPENED_AT, rest: FIRST_REST });
    await record(webhook.webhookId, { to: 'half-open' }, opened(SECOND_REST));
    expect(await circuitOf(webhook)).toEqual({ openedAt: OPENED_AT, rest: SECOND_REST });
    await record(webhook.webhookId, CLOSED);
    expect(await circuitOf(webhook)).toEqual({ openedAt: null, rest: undefined });
  });

  it('is published when it opens and when it closes, without a stored event', async () => {
    const { webhookId, userId, store } = await newWebhook();
    await record(webhookId, CLOSED, opened(), opened(SECOND_REST), CLOSED, CLOSED);
    const records = await recordsOf(webhookId);
    const about = { webhookId, userId, occurredAt: OPENED_AT.toISOString() };
    expect(records).toEqual([
      ['webhook.circuit_opened', { ...about, probeAt: FIRST_REST.probeAt.toISOString() }],
      ['webhook.circuit_closed', about],
    ]);
    const { history } = await store.load(`webhook-${webhookId}`);
    expect(history.map(({ type }) => type)).toEqual(['webhook.configured']);
  });

  it('closes without a notice when its webhook moves to another url', async () => {
    const webhook = await newWebhook();
    const { webhookId, userId, handle } = webhook;
    await record(webhookId, opened());
    const at = OPENED_AT.toISOString();
    const data = { url: 'https://elsewhere.example/', secret: 'keep', at } as const;
    await handle(webhookId, { type: 'ChangeWebhook', data });
    expect(await circuitOf(webhook)).toEqual({ openedAt: null, rest: undefined });
    expect((await recordsOf(webhookId)).map(([type]) => type)).toEqual([
      'webhook.circuit_opened',
      'webhook.circuit_closed',
    ]);
    expect(await noticesTo(userId)).toEqual([]);
  });

  it('is not stored when its webhook has changed since it was asked', async () => {
    const webhook = await newWebhook();
    const { webhookId } = webhook;
    const { changed, drained } = recorder();
    changed(webhookId, opened(), { kind: 'draft.created', version: 2 });
    await drained();
    expect(await circuitOf(webhook)).toEqual({ openedAt: null, rest: undefined });
    changed(webhookId, opened(), { kind: 'draft.created', version: 1 });
    await drained();
    expect(await circuitOf(webhook)).toMatchObject({ rest: FIRST_REST });
  });

  it('is shown to those who watch when it is stored and when it closes, and not when it is closed already', async () => {
    const { webhookId, userId } = await newWebhook();
    const { changed, drained, told } = recorder();
    for (const change of [CLOSED, opened(), opened(SECOND_REST), CLOSED, CLOSED]) {
      changed(webhookId, change);
    }
    await drained();
    expect(told).toEqual(Array.from({ length: 3 }, () => ({ webhookId, userId })));
  });

  it('closes when its webhook is enabled', async () => {
    const webhook = await newWebhook();
    const { webhookId, handle } = webhook;
    await record(webhookId, opened());
    const at = OPENED_AT.toISOString();
    await handle(webhookId, { type: 'DisableWebhook', data: { reason: 'user', at } });
    const data = { enabled: true, secret: 'keep', at } as const;
    await handle(webhookId, { type: 'ChangeWebhook', data });
    expect(await circuitOf(webhook)).toEqual({ openedAt: null, rest: undefined });
  });

  it('is deleted with its webhook, and does not open without one', async () => {
    const { webhookId, handle } = await newWebhook();
    await record(webhookId, opened());
    const at = OPENED_AT.toISOString();
    await handle(webhookId, { type: 'DeleteWebhook', data: { reason: 'user', at } });
    await record(webhookId, opened(SECOND_REST));
    const { rowCount } = await database().pool.query('select from circuits where webhook_id = $1', [
      toStoredId(webhookId),
    ]);
    expect(rowCount).toBe(0);
  });
});

describe('the owner of a webhook whose circuit closes', () => {
  it('is notified that it works again', async () => {
    const { webhookId, userId } = await newWebhook();
    await record(webhookId, opened(), CLOSED);
    expect(await noticesTo(userId)).toEqual([
      { webhook_id: webhookId, occurred_at: OPENED_AT.toISOString() },
    ]);
  });

  it('is not notified when the probe delivered a notice', async () => {
    const { webhookId, userId } = await newWebhook();
    const { changed, drained } = recorder();
    changed(webhookId, opened());
    changed(webhookId, CLOSED, { kind: 'integration.connected', version: 1 });
    await drained();
    expect(await noticesTo(userId)).toEqual([]);
  });
});

describe('a change of a circuit that cannot be stored', () => {
  it('is reported, and the next one is stored', async () => {
    const webhook = await newWebhook();
    const { changed, drained, errors } = recorder();
    changed(webhook.webhookId, opened({ ...FIRST_REST, restMs: -1 }));
    changed(webhook.webhookId, opened());
    await drained();
    expect(errors).toHaveLength(1);
    expect(await circuitOf(webhook)).toMatchObject({ rest: FIRST_REST });
  });
});

async function newWebhook() {
  const service = onPostgres(database());
  return { ...service, ...(await service.newWebhook()) };
}

function recorder() {
  const errors: unknown[] = [];
  const { unitOfWork } = onPostgres(database());
  const onError = (error: unknown) => void errors.push(error);
  const told: WebhookOwner[] = [];
  const stored = (webhook: WebhookOwner) => void told.push(webhook);
  return {
    ...circuitRecorder({ unitOfWork, now: () => OPENED_AT, stored }, onError),
    errors,
    told,
  };
}

async function record(webhookId: string, ...changes: readonly CircuitChange[]) {
  const { changed, drained, errors } = recorder();
  for (const change of changes) changed(webhookId, change);
  await drained();
  expect(errors).toEqual([]);
}

/** Returns the circuit as its owner sees it and as a replica loads it, which must agree. */
async function circuitOf({ userId, webhookId }: { userId: string; webhookId: string }) {
  const { pool } = database();
  const { vault } = onPostgres(database());
  const load = loadTargets(pool, vault, (error) => {
    throw error;
  });
  const shown = await webhookRows(pool).byId(userId, webhookId);
  const rest = (await load([webhookId])).get(webhookId)?.rest;
  expect(shown?.circuitProbeAt).toEqual(rest?.probeAt ?? null);
  return { openedAt: shown?.circuitOpenedAt, rest };
}

/** Returns the webhook's records about its circuit for the topic of webhooks, in their order. */
async function recordsOf(webhookId: string) {
  const { rows } = await database().pool.query<{ type: string; payload: Buffer }>(
    `select type, payload from outbox where aggregateid = $1 and type like 'webhook.circuit%'
      order by id`,
    [webhookId],
  );
  return rows.map(({ type, payload }) => [type, JSON.parse(payload.toString())] as const);
}

const noticesTo = async (userId: string) =>
  (await allNoticesTo(database(), userId)).map(({ data }) => data);
