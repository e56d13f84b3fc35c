import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { withClaims } from '../../../test/faulty-provider.js';
import { newGrant, newUser, useAdapters } from '../../../test/on-postgres.js';
import { mailboxAt, useFaultyProvider } from '../../../test/on-provider.js';
import { answering, renewing } from '../../../test/renewing.js';
import type { OAuthProvider } from '../oauth-provider.js';
import { tokenRequests } from '../token-requests.js';
import { refresher } from './refresh.js';

const adapters = useAdapters();
const faulty = useFaultyProvider();
const unavailable = expect.objectContaining({ code: 'provider_unavailable' });
const connected = renewing(adapters, faulty);

describe('a refresh that takes longer than it is waited for', () => {
  it('is tried again with the same refresh token, which is good if it was not replaced', async () => {
    const { renew, renewImpatiently, row } = await connected();
    for (let time = 1; time <= 2; time++) {
      faulty().hold();
      await expect(renewImpatiently()).rejects.toEqual(unavailable);
      expect(await row()).toMatchObject({ status: 'degraded', statusReason: 'timeout' });
    }
    await faulty().straighten();
    await renew();
    expect(await row()).toMatchObject({ status: 'active', credentialVersion: 2 });
  });

  it('ends the connection when a later try is refused: the token was replaced, or revoked', async () => {
    const { renew, renewImpatiently, email, hasTokens, endedFor } = await connected();
    faulty().hold();
    await expect(renewImpatiently()).rejects.toEqual(unavailable);
    expect(await hasTokens()).toBe(true);
    await faulty().straighten();
    await faulty().control.revokeAccount(email);
    await renew();
    expect(await endedFor()).toBe('refresh_token_lost');
  });
});

describe('a refresh that only its user can repeat', () => {
  it('is one whose answer was lost with the new refresh token in it', async () => {
    const { renew, endedFor } = await connected();
    faulty().alter(() => (res: ServerResponse) => res.destroy());
    await expect(renew()).rejects.toEqual(unavailable);
    faulty().alter();
    await renew();
    expect(await endedFor()).toBe('refresh_token_lost');
  });

  it('is one for scopes that the provider does not give any more', async () => {
    const { renew, endedFor } = await connected();
    faulty().alter(() => answering(400, '{"error":"invalid_scope"}'));
    await renew();
    expect(await endedFor()).toBe('invalid_scope');
  });

  it('is one that brings tokens of another account: none of them is kept', async () => {
    const { renew, endedFor, connectionId } = await connected();
    faulty().alter(({ id_token, ...answer }) => ({
      ...answer,
      id_token: withClaims(String(id_token), { sub: 'somebody else' }),
    }));
    await renew();
    expect(await endedFor()).toBe('foreign_id_token');
    const id = await connectionId();
    const queued = await adapters().revocations.claim();
    expect(queued.filter((one) => one.connectionId === id)).toEqual([]);
  });

  it('is one whose stored refresh token was changed: nothing is sent', async () => {
    const { renew, endedFor, change } = await connected();
    await change(`refresh_token = refresh_token || 'x'::bytea`);
    await renew();
    expect((await faulty().control.calls()).token).toBe(0);
    expect(await endedFor()).toBe('refresh_token_unreadable');
  });
});

describe('a connection without a refresh token', () => {
  const SECOND_MS = 1_000;

  it('ends by itself when its access token does, and not before', async () => {
    const { dueRefreshes, ports } = adapters();
    const connectedFor = async (ms: number) => {
      const user = newUser(adapters);
      await user.connect(
        newGrant({ refreshToken: undefined, expiresAt: new Date(Date.now() + ms) }),
      );
      return user;
    };
    const [ended, lasting] = [await connectedFor(-SECOND_MS), await connectedFor(60 * SECOND_MS)];
    const providers = new Map([['acme/mailbox', mailboxAt(faulty().issuer)] as const]);
    const { renew } = refresher({ ...ports, providers }, tokenRequests());
    for (const due of await dueRefreshes.claim('acme/mailbox', 1_000)) await renew(due);

    expect(await lasting.row()).toMatchObject({ status: 'active' });
    expect(await ended.endedFor()).toBe('no_refresh_token');
  });
});

describe('a provider that wants to be left alone', () => {
  it('is asked by nobody until the Retry-After of its 429 is over, and then again', async () => {
    const { renew, renewAtOnce, row, hasTokens } = await connected();
    await faulty().control.fail({ endpoint: 'token', calls: 1, status: 429, retryAfterS: 1_800 });
    const refused = expect.objectContaining({ code: 'provider_unavailable', retryAfterS: 1_800 });
    await expect(renew()).rejects.toEqual(refused);
    expect(await row()).toMatchObject({ status: 'degraded', statusReason: 'http_429' });
    await expect(renewAtOnce()).rejects.toEqual(unavailable);
    expect((await faulty().control.calls()).token).toBe(1);
    expect(await hasTokens()).toBe(true);

    await renew();
    expect((await faulty().control.calls()).token).toBe(2);
    expect(await row()).toMatchObject({ status: 'active', credentialVersion: 2 });
  });
});

describe('a process that slept through its lease', () => {
  it('does not bring the old refresh token to the provider', async () => {
    const { renewWith, renew } = await connected();
    const monotonicMs = () => performance.now() + 60_000;
    await expect(renewWith({ monotonicMs })).rejects.toMatchObject({ code: 'refresh_in_progress' });
    expect((await faulty().control.calls()).token).toBe(0);
    await renew();
    expect((await faulty().control.calls()).token).toBe(1);
  });
});

describe('a process that stops', () => {
  it('does not send what it was about to send, and releases the lease', async () => {
    const { renewWith, renew } = await connected();
    const requests = tokenRequests();
    const oauth = mailboxAt(faulty().issuer);
    const refresh: OAuthProvider['refresh'] = async (...request) => {
      void requests.drain();
      return oauth.refresh(...request);
    };
    const providers = new Map([['acme/mailbox', { ...oauth, refresh }] as const]);
    await expect(renewWith({ providers }, requests)).rejects.toMatchObject({ code: 'stopping' });
    expect((await faulty().control.calls()).token).toBe(0);
    await renew();
    expect((await faulty().control.calls()).token).toBe(1);
  });
});

describe('a connection that ends while it is refreshed', () => {
  it('has the tokens queued to be revoked that came too late, too', async () => {
    const { renew, disconnect, connectionId, hasTokens } = await connected();
    const refresh = faulty().hold();
    const renewed = renew();
    await refresh.arrived;
    await disconnect();
    refresh.release();
    await renewed;
    expect(await hasTokens()).toBe(false);
    const queued = await adapters().revocations.claim();
    const id = await connectionId();
    const tokens = queued
      .filter((one) => one.connectionId === id)
      .map(({ token }) => token().token);
    expect(new Set(tokens).size).toBe(2);
  });
});
