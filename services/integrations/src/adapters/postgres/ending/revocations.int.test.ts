import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newGrant, newUser, useAdapters } from '../../../../test/on-postgres.js';
import type { OAuthProvider } from '../../../application/ports.js';
import { revokeDue } from '../../../application/revoke.js';

const adapters = useAdapters();
const MAILBOX = { identityProvider: 'acme', provider: 'mailbox' } as const;
const SHARED = { separateGrants: false };
const DAY_MS = 86_400_000;

beforeEach(async () => {
  await adapters().pool.query('delete from provider_revocations');
});

describe('tokens that were replaced', () => {
  it('stay unrevoked at a provider where that would end the new ones', async () => {
    const { revocations } = adapters();
    const user = newUser(adapters);
    await user.connect(newGrant(), SHARED);
    await user.connect(newGrant(), SHARED);
    expect(await revocations.claim()).toEqual([]);
  });

  it('are cancelled for the account that came back, and for no other', async () => {
    const { revocations } = adapters();
    const user = newUser(adapters);
    const ofOther = newGrant({ accountId: 'account-2' });
    await user.connect(newGrant({ accountId: 'account-1' }), SHARED);
    await user.connect(ofOther, SHARED);
    await user.disconnect();
    await user.connect(newGrant({ accountId: 'account-1' }), SHARED);
    expect((await revocations.claim()).map(({ token }) => token().token)).toEqual([
      ofOther.refreshToken,
    ]);
  });

  it('are cancelled also beside one that does not open any more, which goes as well', async () => {
    const { pool, revocations } = adapters();
    const user = newUser(adapters);
    const ofOther = { token: 'rt of other', hint: 'refresh_token' } as const;
    await user.connect(newGrant(), SHARED);
    await user.disconnect();
    await pool.query(`update provider_revocations set sealed = sealed || 'x'::bytea`);
    await revocations.add({ ...MAILBOX, userId: user.id, accountId: 'account-2' }, ofOther);
    await user.connect(newGrant(), SHARED);
    expect((await revocations.claim()).map(({ token }) => token())).toEqual([ofOther]);
  });

  it('are cancelled when the user comes back before they were revoked, also those that came late', async () => {
    const { revocations } = adapters();
    const user = newUser(adapters);
    await user.connect(newGrant(), SHARED);
    await user.disconnect();
    const late = { token: 'rt late', hint: 'refresh_token' } as const;
    await revocations.add({ ...MAILBOX, userId: user.id }, late);
    await user.connect(newGrant(), SHARED);
    expect(await revocations.claim()).toEqual([]);
  });

  it('are queued for a user who was never connected, too', async () => {
    const { revocations } = adapters();
    const late = { token: 'rt late', hint: 'refresh_token' } as const;
    await revocations.add({ ...MAILBOX, userId: randomUUID() }, late);
    expect((await revocations.claim()).map(({ token }) => token())).toEqual([late]);
  });

  it('are revoked by the access token when there is no other', async () => {
    const { revocations } = adapters();
    const user = newUser(adapters);
    const grant = newGrant({ refreshToken: undefined });
    await user.connect(grant);
    await user.disconnect();
    expect((await revocations.claim()).map(({ token }) => token())).toEqual([
      { token: grant.accessToken, hint: 'access_token' },
    ]);
  });
});

describe('a connection whose tokens were revoked there', () => {
  it('says so when the outcome of the last is known, unless it was connected again', async () => {
    const user = newUser(adapters);
    await user.connect();
    await user.connect();
    await user.disconnect();
    await answerRevocations('revoked', 1);
    expect((await user.row())?.provider_revocation).toBe('pending');
    await answerRevocations('unsupported');
    expect((await user.row())?.provider_revocation).toBe('unsupported');

    await user.connect();
    await user.connect();
    await answerRevocations('revoked');
    expect((await user.row())?.provider_revocation).toBeNull();
  });
});

describe('a token of a provider that this replica has no settings for', () => {
  it('stays queued for one that has, and its revocation fails in the end', async () => {
    const { pool, ports } = adapters();
    const user = newUser(adapters);
    await user.connect();
    await user.disconnect();
    const queued = async () =>
      (await pool.query('select attempts, next_at > now() as rests from provider_revocations'))
        .rows;
    const revoke = (now: Date) => revokeDue({ ...ports, now: () => now })();

    expect(await revoke(new Date())).toBe(1);
    expect(await queued()).toEqual([{ attempts: 1, rests: true }]);
    expect(await user.row()).toMatchObject({ provider_revocation: 'pending' });

    await pool.query('update provider_revocations set next_at = now()');
    await revoke(new Date(Date.now() + 91 * DAY_MS));
    expect(await queued()).toEqual([]);
    expect(await user.row()).toMatchObject({ provider_revocation: 'failed' });
  });
});

/** What can have become of stored tokens: a bit of each flipped, their key destroyed, or all of it gone. */
const CHANGES = {
  bits: async (user: User) =>
    user.change(`${flipped('access_token')}, ${flipped('refresh_token')}`),
  key: async (user: User) => adapters().vault.shred(`${await user.connectionId()}#1`),
  row: async (user: User) =>
    adapters().pool.query('delete from credentials where connection_id = $1', [
      await user.connectionId(),
    ]),
};
type User = ReturnType<typeof newUser>;

const flipped = (column: string) =>
  `${column} = set_byte(${column}, length(${column}) - 1, get_byte(${column}, length(${column}) - 1) # 1)`;

describe.each(['bits', 'key', 'row'] as const)('stored tokens that were changed (%s)', (what) => {
  it('are not revoked, which a disconnect says once', async () => {
    const user = await changed(what);
    const connectionId = await user.connectionId();
    await user.disconnect();
    await user.disconnect();
    expect(await user.row()).toMatchObject({
      status: 'disconnected',
      provider_revocation: 'failed',
    });
    expect(await user.current()).toMatchObject({ credential: undefined });
    const { history, revocations } = adapters();
    expect(await revocations.claim()).toEqual([]);
    const events = await history.events(connectionId, { before: 100, limit: 10 });
    expect(events.map(({ event: { type } }) => type)).toEqual([
      'integration.revocation_settled',
      'integration.disconnected',
      'integration.connected',
    ]);
  });

  it('are replaced by a new connect, and go with their user', async () => {
    const user = await changed(what);
    const grant = newGrant();
    await user.connect(grant);
    expect(await user.token()).toBe(grant.accessToken);
    expect(await adapters().revocations.claim()).toEqual([]);

    const other = await changed(what);
    await other.delete();
    expect(await other.row()).toBeUndefined();
  });
});

async function changed(what: keyof typeof CHANGES) {
  const user = newUser(adapters);
  await user.connect();
  await CHANGES[what](user);
  return user;
}

/** The provider gives this answer to the revocations that are due, or to so many of them. */
async function answerRevocations(answer: 'revoked' | 'unsupported', count = 100) {
  const { ports, revocations } = adapters();
  const due = (await revocations.claim()).slice(0, count);
  const provider = { revoke: async () => answer } as unknown as OAuthProvider;
  await revokeDue({
    ...ports,
    providers: new Map([['acme/mailbox', provider]]),
    revocations: { ...revocations, claim: async () => due },
  })();
  await adapters().pool.query('update provider_revocations set next_at = now()');
}
