import { describe, expect, it } from '@jest/globals';
import { encodeDomainEvent } from '@junction/contracts';
import type pg from 'pg';
import { onErasures } from './erasures.js';

const tx = {} as pg.PoolClient; // handed on, and not used here
const userId = '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d';
const counts = { webhooks: 3 };
// The service that the message names does not count: the right to write to the topic does.
const value = encodeDomainEvent('user.erased', {
  userId,
  service: 'auth',
  counts,
  occurredAt: new Date(),
});

describe('the report of a service', () => {
  it('counts for the service whose topic it is on', async () => {
    const heard: object[] = [];
    const handle = onErasures(async (_, erased) => void heard.push(erased));
    await handle([record('webhooks.events.v1'), record('e2e.integrations.events.v1')], tx);
    expect(heard).toEqual([
      { userId, service: 'webhook-dispatcher', counts, isFinal: true },
      { userId, service: 'integrations', counts, isFinal: true },
    ]);
  });

  it('is told from other kinds, which pass by', async () => {
    const heard: object[] = [];
    const handle = onErasures(async (_, erased) => void heard.push(erased));
    await handle(
      [{ ...record('webhooks.events.v1'), headers: { ce_type: 'webhook.deleted' } }],
      tx,
    );
    expect(heard).toEqual([]);
  });

  it('is refused when it cannot be read', async () => {
    const handle = onErasures(async () => {});
    for (const bad of [null, Buffer.from('no JSON')]) {
      const records = [{ ...record('webhooks.events.v1'), value: bad }];
      await expect(handle(records, tx)).rejects.toMatchObject({ name: 'RecordError' });
    }
  });
});

const record = (topic: string) => ({
  topic,
  partition: 0,
  offset: 0n,
  key: userId,
  headers: { ce_type: 'user.erased' },
  value,
  timestamp: new Date(),
});
