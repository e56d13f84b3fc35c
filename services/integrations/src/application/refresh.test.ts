import { describe, expect, it } from '@jest/globals';
import type { Lease, Needs, OAuthProvider } from './needs.js';
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

const LEASE: Lease = {
  connectionId: 'con_1',
  userId: 'ada',
  owner: 'us',
  credentialVersion: 1,
  sendUntilMs: 0,
  saveUntilMs: 0,
  refreshToken: 'rt',
  expiresAt: new Date(),
  scopes: { grantedScopes: [], missingScopes: [] },
  failures: 0,
  answerLost: false,
};

function leased(changes: Partial<Lease>) {
  let asked = 0;
  let released = 0;
  const provider: Pick<OAuthProvider, 'refresh'> = {
    async refresh(refreshToken, beforeSending) {
      beforeSending();
      asked += 1;
      return { accessToken: 'at', refreshToken, expiresAt: new Date(), scopes: undefined };
    },
  };
  const refreshes: Pick<Needs['refreshes'], 'lease' | 'save' | 'release'> = {
    lease: async () => ({ kind: 'ours', lease: { ...LEASE, ...changes } }),
    save: async () => 'saved',
    async release() {
      released += 1;
    },
  };
  const needs = {
    providers: new Map([['mailbox', provider]]),
    refreshes,
    refreshEnded: () => undefined,
    now: () => new Date(),
  } as unknown as Needs;
  return { needs, asked: () => asked, released: () => released };
}
