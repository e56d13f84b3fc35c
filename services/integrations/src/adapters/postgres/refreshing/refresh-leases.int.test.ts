import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { breakableRoad, eventually, tapped } from '@junction/testing';
import { keyRing, subjectVault } from '@junction/vault';
import { Pool } from 'pg';
import { adaptersOn, leaseIn, newGrant, useAdapters } from '../../../../test/on-postgres.js';
import { FAILURE, refreshesOn } from '../../../../test/refreshing.js';
import type { Lease } from '../../../application/refreshing/ports.js';
import {
  failureRecorder,
  keepRefreshToken,
  saveRefresh,
} from '../../../application/refreshing/save-refresh.js';
import { purgeRefreshes } from './refreshes.js';

const adapters = useAdapters();
const { save, fail, connection } = refreshesOn(adapters);

/** The lease lasts a minute. */
const SAVED_WITHIN_MS = 58_000;

beforeEach(async () => {
  await adapters().pool.query('delete from provider_revocations');
});

describe('the right to refresh', () => {
  it('has one holder, who gets the refresh token and what is known of the connection', async () => {
    const { lease, grant } = await connection();
    const answers = await Promise.all([lease(), lease(), lease()]);
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['busy', 'busy', 'ours']);
    const { refreshToken, scopes } = grant;
    const known = { refreshToken, scopes, credentialVersion: 1, failures: 0 };
    expect(answers.find(({ kind }) => kind === 'ours')).toMatchObject({ lease: known });
  });

  it('passes on when its holder does not come back', async () => {
    const { ours, lapse } = await connection();
    const first = await ours();
    await lapse();
    expect((await ours()).owner).not.toBe(first.owner);
  });

  it('is no use where the refresh token does not open, unless the key ring lacks its key', async () => {
    const { pool, vault } = adapters();
    const { lease, lapse, id, change } = await connection();
    const otherRing = keyRing(`k2:${randomBytes(32).toString('base64url')}`);
    const withoutKey = adaptersOn(pool, subjectVault({ pool, ring: otherRing })).leases;
    await expect(withoutKey.acquire(id, 1)).rejects.toMatchObject({ code: 'unknown_key' });
    await lapse();
    expect(await lease()).toMatchObject({ kind: 'ours' });
    await lapse();
    await change(`refresh_token = refresh_token || 'x'::bytea`);
    expect(await lease()).toMatchObject({ kind: 'unreadable' });
    await lapse();
    await vault.shred(`${id}#1`);
    // With the key, its row would have gone as well.
    expect(await lease()).toMatchObject({ kind: 'unreadable' });
  });

  it('is given to nobody while a failed refresh rests', async () => {
    const { ours, lease } = await connection();
    const failure = { ...FAILURE, backoffMs: 60_000 };
    await fail(await ours(), failure);
    const answer = await lease();
    expect(answer).toMatchObject({ kind: 'backing_off', forMs: expect.any(Number) });
    expect(answer.kind === 'backing_off' && answer.forMs).toBeGreaterThan(50_000);
  });

  it('is for one version: with another it is over', async () => {
    const { ours, lease } = await connection();
    await save(await ours(), newGrant());
    expect(await lease(1)).toEqual({ kind: 'over' });
    expect(await lease(2)).toMatchObject({ kind: 'ours' });
  });
});

describe('saving what a refresh brought', () => {
  it('keeps it under the next version, once also when the answer to the commit is lost', async () => {
    const { ours, lease, current, token } = await connection();
    const held = await ours();
    const tokens = newGrant();
    expect(await save(held, tokens)).toBe('saved');
    expect(await save(held, tokens)).toBe('saved');
    expect(await current()).toMatchObject({ credentialVersion: 2 });
    expect(await token()).toBe(tokens.accessToken);
    expect(leaseIn(await lease(2)).refreshToken).toBe(tokens.refreshToken);
  });

  it('keeps the old refresh token when there is no new one', async () => {
    const { ours, lease, grant } = await connection();
    const tokens = newGrant({ refreshToken: undefined });
    await save(await ours(), tokens);
    expect(leaseIn(await lease(2)).refreshToken).toBe(grant.refreshToken);
  });

  it('keeps it also when the lease ran out, as long as nobody was faster', async () => {
    const { ours, lapse, lease } = await connection();
    const slow = await ours();
    await lapse();
    const fast = await ours();
    const slowTokens = newGrant();
    expect(await save(slow, slowTokens)).toBe('saved');
    expect(await save(fast, newGrant())).toBe('replaced');
    // The refusal of an old version says nothing about the newer one.
    const refusal = { ...FAILURE, reason: 'invalid_grant', final: true };
    await fail(fast, refusal);
    expect(leaseIn(await lease(2)).refreshToken).toBe(slowTokens.refreshToken);
  });

  it('ends what failed refreshes have left', async () => {
    const { ours, row } = await connection();
    await fail(await ours(), FAILURE);
    expect(await row()).toMatchObject({ status: 'degraded' });
    expect(await save(await ours(), newGrant())).toBe('saved');
    expect(await row()).toMatchObject({ status: 'active', credentialVersion: 2 });
  });

  it('waits for the turn of its user, and sees what was done in the turn before', async () => {
    const { id, ours, row } = await connection();
    const held = await ours();
    const { pool, unitOfWork } = adapters();
    const { saving } = await unitOfWork.inUserTurn((await row())?.userId ?? '', async (tx) => {
      const saving = save(held, newGrant());
      await eventually(async () => {
        const waiting = `select from pg_locks where locktype = 'advisory' and not granted`;
        expect((await pool.query(waiting)).rowCount).toBe(1);
      });
      await tx.credentials.delete([id]);
      return { saving };
    });
    expect(await saving).toBe('ended');
  });

  it('keeps a refresh token at least, when the answer was of no other use', async () => {
    const { ours, lease } = await connection();
    const { leases } = adapters();
    const held = await ours();
    expect(await keep(held, 'rt recovered')).toBe('kept');
    await leases.release(held, 0);
    expect(leaseIn(await lease()).refreshToken).toBe('rt recovered');
  });

  it('keeps it after an outage, for which there is nearly as long as the lease lasts', async () => {
    const { ours, lease } = await connection();
    const { pool, vault } = adapters();
    const road = await breakableRoad(pool.options.connectionString ?? '');
    const away = new Pool({ connectionString: road.url, max: 1 });
    away.on('error', () => undefined);
    const beforeMs = performance.now();
    const held = await ours();
    expect(held.saveUntilMs).toBeGreaterThanOrEqual(beforeMs + SAVED_WITHIN_MS);
    expect(held.saveUntilMs).toBeLessThanOrEqual(performance.now() + SAVED_WITHIN_MS);

    await road.break();
    const tries = jest.spyOn(away, 'connect');
    const tokens = newGrant();
    const saving = saveRefresh(adaptersOn(away, vault).ports, held, tokens);
    await eventually(() => expect(tries.mock.calls.length).toBeGreaterThan(2));
    await road.mend();
    expect(await saving).toBe('saved');
    expect(leaseIn(await lease(2)).refreshToken).toBe(tokens.refreshToken);
    await away.end();
    await road.break();
  });

  it('says, when nothing of it can be kept, whether there is a newer version or no connection', async () => {
    const { ours, lapse, disconnect } = await connection();
    const slow = await ours();
    await lapse();
    await save(await ours(), newGrant());
    expect(await keep(slow, 'rt recovered')).toBe('replaced');
    await disconnect();
    expect(await keep(slow, 'rt recovered')).toBe('ended');
    expect(await save(slow, newGrant())).toBe('ended');
  });

  it('tells a newer consent from newer tokens of its own', async () => {
    const { ours, connect } = await connection();
    const held = await ours();
    await connect(newGrant());
    expect(await save(held, newGrant())).toBe('reconnected');
    expect(await keep(held, 'rt recovered')).toBe('reconnected');
  });
});

describe('a refresh that worked', () => {
  it('is no event, and changes what is known of the connection', async () => {
    const { history } = adapters();
    const { id, row, ours, disconnect } = await connection();
    const scopes = { grantedScopes: [], missingScopes: ['mailbox.readonly'] };
    await save(await ours(), newGrant({ scopes }));
    const known = {
      credentialVersion: 2,
      grantedScopes: [],
      missingScopes: ['mailbox.readonly'],
      lastRefreshedAt: expect.any(Date),
    };
    expect(await row()).toMatchObject(known);
    expect(await history.events(id, ALL)).toHaveLength(1);
    expect(await history.refreshes(id, ALL)).toMatchObject([{ credentialVersion: 2, ...scopes }]);
    await disconnect();
    expect(await row()).toMatchObject({ ...known, status: 'disconnected' });
  });

  it('is shown for ninety days, and as the last one for ever', async () => {
    const { history, pool } = adapters();
    const { id, row, ours, lease } = await connection();
    await save(await ours(), newGrant());
    await save(leaseIn(await lease(2)), newGrant());
    await save(leaseIn(await lease(3)), newGrant());
    await pool.query(
      `update refreshes set at = at - make_interval(days => case credential_version
         when 2 then 91 else 89 end) where connection_id = $1`,
      [id],
    );
    await purgeRefreshes(pool);
    const versions = async () =>
      (await history.refreshes(id, ALL)).map(({ credentialVersion }) => credentialVersion);
    expect(await versions()).toEqual([4, 3]);
    await pool.query(`update refreshes set at = at - interval '1 year'`);
    await purgeRefreshes(pool);
    expect(await versions()).toEqual([4]);
    expect(await row()).toMatchObject({ credentialVersion: 4 });
  });
});

const ALL = { before: 100, limit: 100 };

describe('an answer that never came', () => {
  const LOST = { ...FAILURE, reason: 'timeout', answerLost: true };

  it('is remembered until there is a new refresh token', async () => {
    const { ours, lease } = await connection();
    const { leases } = adapters();
    const first = await ours();
    expect(first.answerLost).toBe(false);
    await fail(first, LOST);
    const second = await ours();
    expect(second).toMatchObject({ answerLost: true, refreshToken: first.refreshToken });
    await fail(second, FAILURE);
    const third = await ours();
    expect(third.answerLost).toBe(true);
    await save(third, newGrant());
    const fourth = leaseIn(await lease(2));
    expect(fourth.answerLost).toBe(false);
    await fail(fourth, LOST);
    const fifth = leaseIn(await lease(2));
    await keep(fifth, 'rt recovered');
    await leases.release(fifth, 0);
    expect(leaseIn(await lease(2)).answerLost).toBe(false);
  });

  it('may be that of a holder who did not come back', async () => {
    const { ours, lapse } = await connection();
    await ours();
    await lapse();
    const next = await ours();
    expect(next.answerLost).toBe(true);
  });
});

describe('an answer that leaves the grant unclear', () => {
  it('is remembered by the first such answer until a refresh works', async () => {
    const { ours, lease } = await connection();
    const unclear = { ...FAILURE, unclear: true };
    await fail(await ours(), unclear);
    const first = await ours();
    expect(first.unclearSince).toEqual(expect.any(Date));
    await fail(first, unclear);
    const second = await ours();
    expect(second.unclearSince).toEqual(first.unclearSince);
    await save(second, newGrant());
    expect(leaseIn(await lease(2)).unclearSince).toBeUndefined();
  });
});

describe('a refused refresh', () => {
  it('ends the connection until the user comes back, and leaves no tokens', async () => {
    const { ours, current, lease } = await connection();
    const { revocations } = adapters();
    await fail(await ours(), { ...FAILURE, reason: 'invalid_grant', final: true });
    expect(await current()).toMatchObject({
      status: 'reconnect_required',
      credential: undefined,
    });
    expect(await lease()).toEqual({ kind: 'over' });
    expect(await revocations.claim()).toEqual([]);
  });

  it('means nothing when its lease has passed to somebody who is still asking', async () => {
    const { ours, lapse, current } = await connection();
    const slow = await ours();
    await lapse();
    const fast = await ours();
    // The provider has given `fast` new tokens, so it refuses `slow` the old one.
    const refusal = { ...FAILURE, reason: 'invalid_grant', final: true };
    await fail(slow, refusal);
    expect(await current()).toMatchObject({ status: 'active', credentialVersion: 1 });
    expect(await save(fast, newGrant())).toBe('saved');
    expect(await current()).toMatchObject({ status: 'active', credentialVersion: 2 });
  });
});

describe('many refreshes at once', () => {
  const REFUSED = { ...FAILURE, reason: 'invalid_grant', final: true };

  it.each([1, 16])('%d of them: leases are taken by one statement', async (count) => {
    const { leases, statements } = await due(count);
    expect(leases).toHaveLength(count);
    expect(statements()).toBe(1);
  });

  it.each([1, 16])(
    '%d of them: keys are read at once, and each is saved at once',
    async (count) => {
      const { ports, leases, statements } = await due(count);
      const before = statements();
      const saved = leases.map(async (lease) => saveRefresh(ports, lease, newGrant()));
      expect(await Promise.all(saved)).toEqual(leases.map(() => 'saved'));
      expect(statements() - before).toBe(1 + count);
    },
  );

  it.each([1, 16])('%d of them: failures are recorded in one transaction', async (count) => {
    const { ports, leases, statements, found } = await due(count);
    const record = failureRecorder(ports);
    const failures = [REFUSED, { ...FAILURE, backoffMs: 60_000 }];
    const before = statements();
    await Promise.all(leases.map(async (lease, n) => record(lease, failures[n % 2] ?? FAILURE)));
    expect(statements() - before).toBeLessThanOrEqual(14);
    const status = (n: number) => (n % 2 === 0 ? 'reconnect_required' : 'degraded');
    expect(await found()).toEqual(leases.map((_, n) => status(n)));
  });

  it('are left as they are where the lease has passed on or the connection has ended', async () => {
    const { ports, leases, users, found } = await due(3);
    const [ended, passed] = users;
    await ended?.disconnect();
    await passed?.lapse();
    const next = await passed?.ours();
    const record = failureRecorder(ports);
    await Promise.all(leases.map(async (lease) => record(lease, REFUSED)));
    expect(await found()).toEqual(['disconnected', 'active', 'reconnect_required']);
    expect(next && (await save(next, newGrant()))).toBe('saved');
  });

  it('are all left to the next holder when a replica is cut off while it records', async () => {
    const { ports, leases, users, found } = await due(2, async (db, statement) => {
      const answer = await db.query(statement);
      const isLast = statement.text.includes('delete from credentials');
      return isLast ? db.query({ text: 'select pg_terminate_backend(pg_backend_pid())' }) : answer;
    });
    const record = failureRecorder(ports);
    const recorded = await Promise.allSettled(leases.map(async (one) => record(one, REFUSED)));
    expect(recorded.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await found()).toEqual(['active', 'active']);
    for (const { lapse, ours } of users) {
      await lapse();
      await fail(await ours(), REFUSED);
    }
    expect(await found()).toEqual(['reconnect_required', 'reconnect_required']);
  });

  it('are held up by none that cannot be recorded, or waits for the turn of its user', async () => {
    const { ports, leases, users } = await due(3);
    const [gone, busy, free] = users;
    const statusOf = async (user?: (typeof users)[number]) => (await user?.row())?.status;
    const userIdOf = async (user?: (typeof users)[number]) => (await user?.row())?.userId ?? '';
    await adapters().vault.shred(await userIdOf(gone));
    const record = failureRecorder(ports);
    const recorded = await ports.unitOfWork.inUserTurn(await userIdOf(busy), async () => {
      const recording = leases.map(async (lease) => record(lease, REFUSED));
      const settled = Promise.allSettled(recording);
      await eventually(async () => expect(await statusOf(free)).toBe('reconnect_required'));
      expect(await statusOf(busy)).toBe('active');
      return { settled };
    });
    expect(await recorded.settled).toMatchObject([
      { reason: { code: 'unauthenticated' } },
      { status: 'fulfilled' },
      { status: 'fulfilled' },
    ]);
    expect(await statusOf(busy)).toBe('reconnect_required');
  });
});

/** Connects so many users, and takes their leases at once on ports whose statements are counted, and made by `tap`. */
async function due(
  count: number,
  tap: Parameters<typeof tapped>[1] = async (db, of) => db.query(of),
) {
  const users = await Promise.all(Array.from({ length: count }, async () => connection()));
  let statements = 0;
  const pool = tapped(adapters().pool, async (db, statement) => {
    statements += 1;
    return tap(db, statement);
  });
  const { ports } = adaptersOn(pool);
  const answers = await Promise.all(users.map(async ({ id }) => ports.leases.acquire(id, 1)));
  const found = async () => Promise.all(users.map(async ({ row }) => (await row())?.status));
  return { users, found, ports, leases: answers.map(leaseIn), statements: () => statements };
}

const keep = (lease: Lease, token: string) => keepRefreshToken(adapters().ports, lease, token);
