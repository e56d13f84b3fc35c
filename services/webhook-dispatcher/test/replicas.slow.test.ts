import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestService } from '@junction/testing';
import { eventually, type TestDatabase } from '@junction/testing';
import { idsOf, requestsAt } from './received.js';
import { webhookOf } from './shares.js';
import { useWorld } from './world.js';

const world = useWorld(() => ({
  WEBHOOK_RETRY_SCHEDULE_S: '0.2,0.2,0.2',
  // Nothing that hangs is given up before its test has gone on.
  WEBHOOK_ATTEMPT_TIMEOUT_S: '60',
}));
const SETUP_MS = 90_000;
const LONG = { deadlineMs: 45_000 };
const QUEUED = 100;
const STANDING_STILL_MS = 20_000;
/** To one webhook at once. */
const UNDER_WAY_MAX = 32;
let second: TestService;

beforeAll(async () => {
  second = await world().startAnother();
}, SETUP_MS);
afterAll(() => second?.end('SIGKILL'));

describe('two replicas', () => {
  it('send nothing of what was queued when one stood still and has lost its shards', async () => {
    const { receiver, newWebhook, publish, database } = world();
    const { userId, webhookId, path } = await webhookOf(second, database, newWebhook);
    const arrived = () => idsOf(requestsAt(receiver, path));
    // The request under way is answered while the replica stands still, so that there would be room for the next.
    receiver.answer({ delayMs: 2_000 });
    const ids = await Promise.all(Array.from({ length: QUEUED }, () => publish(userId)));
    await eventually(async () => expect(await filedFor(webhookId, database)).toBe(QUEUED), LONG);
    await receiver.waitFor((one) => one.path === path);
    second.signal('SIGSTOP');
    const stoppedMs = performance.now();
    const stoodStillMs = () => performance.now() - stoppedMs;

    receiver.answer({});
    await eventually(async () => expect(await ownersOf(database)).toHaveLength(1), LONG);
    await eventually(async () => expect(await openDeliveries(database)).toBe(0), LONG);
    await eventually(async () => expect(stoodStillMs()).toBeGreaterThan(STANDING_STILL_MS), LONG);
    const before = arrived();
    second.signal('SIGCONT');
    await eventually(async () => expect(await ownersOf(database)).toHaveLength(2), LONG);
    const again = await webhookOf(second, database, newWebhook);
    await publish(again.userId);
    await receiver.waitFor((one) => one.path === again.path);

    expect(arrived()).toEqual(before);
    expect(new Set(before)).toEqual(new Set(ids));
    expect(before.length - QUEUED).toBeLessThanOrEqual(UNDER_WAY_MAX);
  });
});

async function filedFor(webhookId: string, { pool }: TestDatabase): Promise<number | null> {
  const { rowCount } = await pool.query('select from deliveries where webhook_id = $1', [
    webhookId.slice('wh_'.length),
  ]);
  return rowCount;
}

async function openDeliveries({ pool }: TestDatabase): Promise<number> {
  const { rows } = await pool.query<{ open: number }>(
    'select count(*)::int as open from pending p join deliveries d using (day, delivery_id)',
  );
  return rows[0]?.open ?? Number.NaN;
}

async function ownersOf({ pool }: TestDatabase): Promise<readonly string[]> {
  const { rows } = await pool.query<{ owner: string }>(
    'select distinct owner from shard_leases where owner is not null and expires_at > now()',
  );
  return rows.map(({ owner }) => owner);
}
