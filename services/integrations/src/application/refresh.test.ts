import { describe, expect, it } from '@jest/globals';
import type { Late, Lease, Needs, OAuthProvider } from './needs.js';
import { refresher } from './refresh.js';

describe('a process that slept through its lease', () => {
  it('does not bring the old refresh token to the provider', async () => {
    const { needs, asked, released } = leased({ sendUntilMs: performance.now() - 1 });
    await expect(
      refresher(needs).renew({ connectionId: 'con_1', credentialVersion: 1 }, 'mailbox'),
    ).rejects.toMatchObject({ code: 'refresh_in_progress' });
    expect(asked()).toBe(0);
    expect(released()).toBe(1);
  });

  it('is told from one that did not', async () => {
    const { needs, asked } = leased({ sendUntilMs: performance.now() + 60_000 });
    await refresher(needs).renew({ connectionId: 'con_1', credentialVersion: 1 }, 'mailbox');
    expect(asked()).toBe(1);
  });
});

describe('a refresh that comes too late to be kept', () => {
  it.each<readonly [late: Late, separateGrants: boolean, revoked: number]>([
    ['ended', false, 1],
    ['replaced', true, 0],
    ['reconnected', true, 1],
    ['reconnected', false, 0],
    ['account_changed', false, 1],
  ])(
    '(%s, separate grants: %s) has its tokens revoked unless newer ones could go along',
    async (late, separateGrants, revoked) => {
      const { needs, queued } = leased(
        { sendUntilMs: Number.POSITIVE_INFINITY },
        { late, separateGrants },
      );
      await refresher(needs).renew({ connectionId: 'con_1', credentialVersion: 1 }, 'mailbox');
      const owner = { userId: 'ada', provider: 'mailbox', accountId: 'account-1' };
      expect(queued()).toEqual(
        Array.from({ length: revoked }, () => [owner, { token: 'rt', hint: 'refresh_token' }]),
      );
    },
  );
});

const LEASE: Lease = {
  connectionId: 'con_1',
  userId: 'ada',
  owner: 'us',
  credentialVersion: 1,
  sendUntilMs: 0,
  consent: 'con_1#1',
  accountId: 'account-1',
  saveUntilMs: 0,
  refreshToken: 'rt',
  expiresAt: new Date(),
  scopes: { grantedScopes: [], missingScopes: [] },
  failures: 0,
  answerLost: false,
};

function leased(
  changes: Partial<Lease>,
  { late, separateGrants = true }: { readonly late?: Late; readonly separateGrants?: boolean } = {},
) {
  const queued: unknown[] = [];
  let asked = 0;
  let released = 0;
  const provider: Pick<OAuthProvider, 'refresh' | 'separateGrants'> = {
    separateGrants,
    async refresh(refreshToken, beforeSending) {
      beforeSending();
      asked += 1;
      return { accessToken: 'at', refreshToken, expiresAt: new Date(), scopes: undefined };
    },
  };
  const refreshes: Pick<Needs['refreshes'], 'lease' | 'save' | 'release'> = {
    lease: async () => ({ kind: 'ours', lease: { ...LEASE, ...changes } }),
    save: async () => late ?? 'saved',
    async release() {
      released += 1;
    },
  };
  const needs = {
    providers: new Map([['mailbox', provider]]),
    refreshes,
    revocations: { add: async (...of: unknown[]) => void queued.push(of) },
    refreshEnded: () => undefined,
    now: () => new Date(),
  } as unknown as Needs;
  return { needs, asked: () => asked, released: () => released, queued: () => queued };
}
