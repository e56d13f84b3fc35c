import { beforeEach, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { leaseIn, newGrant, useAdapters } from '../../../../test/on-postgres.js';
import { FAILURE, refreshesOn } from '../../../../test/refreshing.js';
import type { Grant } from '../../../application/oauth-provider.js';
import type { DueRefresh } from '../../../application/refreshing/ports.js';

const adapters = useAdapters();
const refreshes = refreshesOn(adapters);
const { save, fail } = refreshes;

beforeEach(async () => {
  await adapters().pool.query('delete from provider_revocations');
});

describe('the queue of refreshes ahead of expiry', () => {
  it('gives what is due to one replica, and leaves the rest where it is', async () => {
    const { backlog, dueRefreshes, pool } = adapters();
    const due = [await connection(), await connection(), await connection()];
    await connection();
    const ids = due.map(({ id }) => id);
    await pool.query('update credentials set refresh_at = now() where connection_id = any ($1)', [
      ids,
    ]);
    const oldest = await backlog();
    expect(oldest).toMatchObject([
      { client: 'acme/mailbox', due: 3 },
      { client: 'acme/calendar', due: 0, oldestS: 0 },
    ]);

    expect(await dueRefreshes.claim('acme/calendar', 10)).toEqual([]);
    const claimed = await inTransaction(pool, async (tx) => {
      // Another replica holds the first row, and the claim does not wait for it.
      await tx.query('select from credentials where connection_id = $1 for update', [ids[0]]);
      return dueRefreshes.claim('acme/mailbox', 10);
    });
    expect(idsOf(claimed)).toEqual(ids.slice(1).toSorted());
    expect(idsOf(await dueRefreshes.claim('acme/mailbox', 10))).toEqual(ids.slice(0, 1));
    expect(await dueRefreshes.claim('acme/mailbox', 10)).toEqual([]);
    // The claims end in ninety seconds, so a replica that dies now loses none of them.
    expect(await dueRefreshes.nextInMs('acme/mailbox')).toBeLessThanOrEqual(90_000);
    expect(await dueRefreshes.nextInMs('acme/calendar')).toBeUndefined();
  });

  it('has a token by its end, again after each refresh, and by its rest after a failure', async () => {
    const { ours, lease, dueInMs } = await connection();
    const hourMs = 3_600_000;
    expect(await dueInMs()).toBeGreaterThan(0.7 * hourMs);
    expect(await dueInMs()).toBeLessThanOrEqual((7 / 8) * hourMs);

    const expiresAt = new Date(Date.now() + 10 * hourMs);
    await save(await ours(), newGrant({ expiresAt }));
    expect(await dueInMs()).toBeGreaterThan(9.7 * hourMs);

    const failure = { ...FAILURE, backoffMs: 60_000 };
    await fail(leaseIn(await lease(2)), failure);
    expect(await dueInMs()).toBeLessThanOrEqual(60_000);
  });

  it.each([
    ['an answer was lost', true],
    ['the holder of the lease did not come back', false],
  ])('has a token shortly before its end after %s', async (_, answerLost) => {
    const { id, ours, lapse, dueInMs, token, change } = await connection();
    const { dueRefreshes } = adapters();
    const lease = await ours();
    const lost = { ...FAILURE, reason: 'timeout', backoffMs: 1_000, answerLost };
    if (answerLost) await fail(lease, lost);
    else await lapse();
    const makeDue = async (leftS: number) =>
      change(`refresh_at = now(), expires_at = now() + interval '${leftS} seconds'`);
    const claimed = async () => idsOf(await dueRefreshes.claim('acme/mailbox', 1_000)).includes(id);

    await makeDue(600);
    expect(await claimed()).toBe(false);
    expect(await dueInMs()).toBeGreaterThan(530_000);
    expect(await dueInMs()).toBeLessThanOrEqual(540_000);
    expect(await token()).toMatch(/^at /);
    await makeDue(59);
    expect(await claimed()).toBe(true);
  });

  it('has a connection without a refresh token when its access token ends', async () => {
    const { dueInMs } = await connection({ refreshToken: undefined });
    expect(await dueInMs()).toBeGreaterThan(3_540_000);
    expect(await dueInMs()).toBeLessThanOrEqual(3_600_000);
  });
});

const idsOf = (claimed: readonly DueRefresh[]): readonly string[] =>
  claimed.map(({ connectionId }) => connectionId).toSorted();

async function connection(changes: Partial<Grant> = {}) {
  const connected = await refreshes.connection(changes);
  return {
    ...connected,
    async dueInMs() {
      const { rows } = await adapters().pool.query<{ in_ms: number }>(
        `select extract(epoch from refresh_at - now())::float8 * 1000 as in_ms
           from credentials where connection_id = $1`,
        [connected.id],
      );
      return rows[0]?.in_ms;
    },
  };
}
