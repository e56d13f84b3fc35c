import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { dispatcherSchema, onPostgres } from '../../../../test/on-postgres.js';
import { webhookRows } from '../webhooks/webhook-rows.js';
import { keepRest } from './circuit-rests.js';
import { loadTargets } from './targets.js';

const database = useDatabase(dispatcherSchema);
const at = '2030-01-01T00:00:00.000Z';
const firstProbe = '2030-01-01T00:00:30.000Z';
const later = { probeAt: new Date('2030-01-01T00:01:30Z'), restMs: 60_000 };

describe('how an open circuit rests', () => {
  it('is that of its opening until another rest is kept, for its owner and for who sends', async () => {
    const webhook = await withOpenCircuit();
    const first = { probeAt: new Date(firstProbe), restMs: 0 };
    expect(await rests(webhook)).toEqual({ shown: first.probeAt, known: first });
    expect(await keepRest(database().pool)(webhook.webhookId, later)).toBe(true);
    expect(await rests(webhook)).toEqual({ shown: later.probeAt, known: later });
  });

  it('ends with it, and one that is kept too late is none', async () => {
    const { handle } = onPostgres(database());
    const webhook = await withOpenCircuit();
    const keep = keepRest(database().pool);
    await keep(webhook.webhookId, later);
    await handle(webhook.webhookId, { type: 'CloseCircuit', data: { at } });
    expect(await keep(webhook.webhookId, later)).toBe(false);
    expect(await rests(webhook)).toEqual({ shown: null, known: undefined });

    await handle(webhook.webhookId, { type: 'OpenCircuit', data: { probeAt: firstProbe, at } });
    expect(await rests(webhook)).toMatchObject({ shown: new Date(firstProbe) });
  });

  it('that is left behind by one who closes it is none, and none of a later opening', async () => {
    const { handle } = onPostgres(database());
    const webhook = await withOpenCircuit();
    await handle(webhook.webhookId, { type: 'CloseCircuit', data: { at } });
    await database().pool.query('insert into circuit_rests values ($1, $2, $3)', [
      webhook.webhookId,
      later.probeAt,
      later.restMs,
    ]);
    expect(await rests(webhook)).toEqual({ shown: null, known: undefined });

    await handle(webhook.webhookId, { type: 'OpenCircuit', data: { probeAt: firstProbe, at } });
    const first = { probeAt: new Date(firstProbe), restMs: 0 };
    expect(await rests(webhook)).toEqual({ shown: first.probeAt, known: first });
  });

  it('goes with its webhook', async () => {
    const { handle } = onPostgres(database());
    const { webhookId } = await withOpenCircuit();
    const keep = keepRest(database().pool);
    await keep(webhookId, later);
    await handle(webhookId, { type: 'DeleteWebhook', data: { reason: 'user', at } });
    await keep(webhookId, later);
    const { rowCount } = await database().pool.query(
      'select from circuit_rests where webhook_id = $1',
      [webhookId],
    );
    expect(rowCount).toBe(0);
  });
});

async function withOpenCircuit() {
  const { newWebhook, handle } = onPostgres(database());
  const webhook = await newWebhook();
  await handle(webhook.webhookId, { type: 'OpenCircuit', data: { probeAt: firstProbe, at } });
  return webhook;
}

async function rests({ userId, webhookId }: { userId: string; webhookId: string }) {
  const { pool } = database();
  const { vault } = onPostgres(database());
  const load = loadTargets(pool, vault, (error) => {
    throw error;
  });
  const shown = await webhookRows(pool).byId(userId, webhookId);
  const target = (await load([webhookId])).get(webhookId);
  return { shown: shown?.circuit_probe_at, known: target?.rest };
}
