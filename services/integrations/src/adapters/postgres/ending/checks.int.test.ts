import { describe, expect, it } from '@jest/globals';
import { newGrant, newUser, useAdapters } from '../../../../test/on-postgres.js';
import { recordInactive } from '../../../application/ending/record-revocation.js';
import {
  failureRecorder,
  type RefreshFailure,
} from '../../../application/refreshing/save-refresh.js';
import { postgresChecks } from './checks.js';

const adapters = useAdapters();
const SHARED = { separateGrants: false };

describe('a connection that is due to be asked about', () => {
  it('is claimed by one, and due again later', async () => {
    const user = await connected();
    const { checks } = adapters();
    expect(await claimed(user)).toEqual([]);
    await user.makeDue();
    const claims = await Promise.all([claimed(user), claimed(user)]);
    expect(claims.flat()).toEqual([
      { connectionId: user.connectionId, credentialVersion: 1, suspected: false },
    ]);
    expect(await claimed(user)).toEqual([]);

    await user.makeDue();
    expect(await checks.overdueMs('acme/calendar')).toBeGreaterThanOrEqual(60_000);
    const [one] = await checks.claimDue('acme/calendar', 1_000, 60_000);
    expect(await one?.open('refresh_token')).toBe(user.grant.refreshToken);
    expect(await one?.open('access_token')).toBe(user.grant.accessToken);
    expect(await checks.overdueMs('acme/calendar')).toBe(0);
  });

  it('is due at once when whoever claimed it did not come to it', async () => {
    const user = await connected();
    const { checks } = adapters();
    await user.makeDue();
    const due = await checks.claimDue('acme/calendar', 1_000, 60_000);
    expect(await claimed(user)).toEqual([]);
    await checks.giveBack(due.filter(({ connectionId }) => connectionId === user.connectionId));
    expect(await claimed(user)).toHaveLength(1);
  });

  it('stays overdue while it is tried without an answer, since it was due first', async () => {
    const user = await connected();
    const { checks } = adapters();
    const claim = async () => (await checks.claimDue('acme/calendar', 1_000, 60_000))[0];
    await user.makeDue();
    const first = await claim();
    expect(first).toMatchObject({ wasUnanswered: false });
    expect(await checks.overdueMs('acme/calendar')).toBe(0);
    if (first) await checks.leaveUnanswered(first);
    expect(await checks.overdueMs('acme/calendar')).toBeGreaterThanOrEqual(60_000);
    expect(await checks.overdueMs('acme/mailbox')).toBe(0);

    await user.makeDue();
    const second = await claim();
    expect(second).toMatchObject({ wasUnanswered: true, dueSince: first?.dueSince });
    if (second) await checks.answered(second);
    expect(await checks.overdueMs('acme/calendar')).toBe(0);
    if (second) await checks.leaveUnanswered(second);
    await checks.confirm(user.connectionId, 60_000);
    expect(await checks.overdueMs('acme/calendar')).toBe(0);
  });

  it('tells that the answer to a refresh is lost', async () => {
    const user = await connected();
    const isLost = async () => {
      await user.makeDue();
      return (await adapters().checks.claimDue('acme/calendar', 1_000, 60_000))[0]?.answerLost;
    };
    await user.fail({ reason: 'timeout', answerLost: true });
    expect(await isLost()).toBe(true);
    // While a refresh is being sent, nothing is known yet about its answer.
    await user.change(
      `answer_lost = false, lease_owner = gen_random_uuid(), lease_until = now() + interval '1 minute'`,
    );
    expect(await isLost()).toBe(false);
    await user.change('lease_until = now()');
    expect(await isLost()).toBe(true);
  });

  it('is due no more once it ended', async () => {
    const user = await connected();
    await user.makeDue();
    await user.disconnect();
    expect(await claimed(user)).toEqual([]);
  });
});

describe('a connection that is suspected', () => {
  it('is claimed at once, and again until it is confirmed', async () => {
    const { checks, within } = adapters();
    const user = await connected();
    await within(async (tx) => tx.checks.suspect(user.connectionId));
    const suspected = async () =>
      (await checks.claimSuspected(['acme/mailbox'], 60_000)).map(
        ({ connectionId }) => connectionId,
      );
    expect(await checks.claimSuspected(['acme/mailbox', 'acme/calendar'], 60_000)).toEqual([]);
    expect(await suspected()).toEqual([user.connectionId]);
    expect(await suspected()).toEqual([]);
    await user.makeDue();
    expect(await suspected()).toEqual([user.connectionId]);

    await checks.confirm(user.connectionId, 60_000);
    await user.makeDue();
    expect(await suspected()).toEqual([]);
    expect(await claimed(user)).toHaveLength(1);
  });
});

describe('a connection that ended at its provider', () => {
  it('loses its tokens and their key, and is not revoked there once more', async () => {
    const { pool, revocations } = adapters();
    const user = await connected();
    await recordInactive(adapters().ports, user.checked);
    expect(await user.row()).toMatchObject({
      status: 'revoked',
      statusReason: 'inactive',
    });
    expect(await user.hasTokens()).toBe(false);
    const { rows } = await pool.query<{ wrapped: Buffer | null }>(
      'select wrapped from data_keys where subject = $1',
      [`${user.connectionId}#1`],
    );
    expect(rows).toEqual([{ wrapped: null }]);
    const queued = (await revocations.claim()).map(({ connectionId }) => connectionId);
    expect(queued).not.toContain(user.connectionId);
  });

  it('goes on when it has newer credentials by now', async () => {
    const user = await connected();
    await user.connect(newGrant(), SHARED);
    await recordInactive(adapters().ports, user.checked);
    const current = await user.current();
    expect(current).toMatchObject({ status: 'active', credentialVersion: 2 });
    expect(current?.credential?.open()).toMatch(/^at /);
  });
});

describe('a connection that the refresh ended which was to prove its end', () => {
  it.each([
    ['invalid_grant', { status: 'revoked', statusReason: 'inactive' }],
    ['refresh_token_lost', { status: 'reconnect_required', statusReason: 'refresh_token_lost' }],
    ['no_refresh_token', { status: 'reconnect_required', statusReason: 'no_refresh_token' }],
  ])('(%s) was revoked if the provider refused it, and otherwise was not', async (reason, row) => {
    const user = await connected();
    await user.fail({ reason, final: true });
    await recordInactive(adapters().ports, user.checked);
    expect(await user.row()).toMatchObject(row);
  });
});

describe('asking a provider regularly', () => {
  it('is for one replica, until it does not come back', async () => {
    const { pool, vault, ports } = adapters();
    const replica = () => postgresChecks({ pool, vault, monotonicMs: ports.monotonicMs });
    const both = ['acme/mailbox', 'acme/calendar'] as const;
    const first = replica();
    expect(await first.lead(both)).toEqual(new Set(both));
    expect(await replica().lead(both)).toEqual(new Set());
    // The lead is kept, and not requested again for every turn.
    await pool.query(`update sweeps set expires_at = now() where client = 'acme/mailbox'`);
    expect(await first.lead(both)).toEqual(new Set(both));
    expect(await replica().lead(both)).toEqual(new Set(['acme/mailbox']));
  });
});

async function connected() {
  const { pool, ports } = adapters();
  const user = newUser(adapters, 'calendar');
  const grant = newGrant();
  await user.connect(grant, SHARED);
  const connectionId = await user.connectionId();
  return {
    ...user,
    grant,
    connectionId,
    checked: {
      identityProvider: 'acme',
      provider: 'calendar',
      connectionId,
      userId: user.id,
      credentialVersion: 1,
    } as const,
    /** Fails a refresh of the connection. */
    async fail(failure: Partial<RefreshFailure>) {
      const plain = { final: false, backoffMs: 0, answerLost: false, unclear: false };
      const failed = { reason: 'timeout', ...plain, ...failure };
      await failureRecorder(ports)(await user.ours(), failed);
    },
    makeDue: async () =>
      pool.query(
        `update connection_checks set due_at = now() - interval '1 minute' where connection_id = $1`,
        [connectionId],
      ),
  };
}

/** Claims all checks that are due, and returns those of this connection. */
async function claimed({ connectionId: id }: { readonly connectionId: string }) {
  const due = await adapters().checks.claimDue('acme/calendar', 1_000, 60_000);
  return due
    .filter(({ connectionId }) => connectionId === id)
    .map(({ connectionId, credentialVersion, suspected }) => ({
      connectionId,
      credentialVersion,
      suspected,
    }));
}
