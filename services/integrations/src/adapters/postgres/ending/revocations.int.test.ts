import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newGrant, newUser, useAdapters } from '../../../../test/on-postgres.js';
import { revokeDue } from '../../../application/ending/revoke.js';
import type { OAuthProvider } from '../../../application/oauth-provider.js';
import { ProviderError } from '../../../application/provider-error.js';
import { waitingRevocations } from './revocations.js';

const adapters = useAdapters();
const MAILBOX = { identityProvider: 'acme', provider: 'mailbox' } as const;
const SHARED = { separateGrants: false };
const DAY_MS = 86_400_000;

beforeEach(async () => {
  const { pool } = adapters();
  await pool.query('delete from provider_revocations');
  await pool.query('delete from credentials');
});

describe('tokens that were replaced', () => {
  it('stay unrevoked at a provider where that would end the new ones', async () => {
    const { revocations } = adapters();
    const user = newUser(adapters);
    await user.connect(newGrant(), SHARED);
    await user.connect(newGrant(), SHARED);
    expect(await revocations.claim()).toEqual([]);
  });

  it('stay unrevoked for the account that came back, and for no other', async () => {
    const user = newUser(adapters);
    const ofOther = newGrant({ accountId: 'account-2' });
    await user.connect(newGrant({ accountId: 'account-1' }), SHARED);
    await user.connect(ofOther, SHARED);
    await user.disconnect();
    await user.connect(newGrant({ accountId: 'account-1' }), SHARED);
    expect(await revokedAtShared()).toEqual([ofOther.refreshToken]);
  });

  it('stay unrevoked when the user comes back before they were revoked, also those that came late', async () => {
    const { revocations } = adapters();
    const user = newUser(adapters);
    await user.connect(newGrant(), SHARED);
    await user.disconnect();
    const late = { token: 'rt late', hint: 'refresh_token' } as const;
    await revocations.add({ ...MAILBOX, userId: user.id }, late);
    await user.connect(newGrant(), SHARED);
    expect(await revokedAtShared()).toEqual([]);
    expect(await revocations.claim()).toEqual([]);
  });

  it('are queued for a user who was never connected, too', async () => {
    const { revocations } = adapters();
    const late = { token: 'rt late', hint: 'refresh_token' } as const;
    await revocations.add({ ...MAILBOX, userId: randomUUID() }, late);
    expect((await revocations.claim()).map(({ token }) => token())).toEqual([late]);
  });

  it('are queued together, because some providers revoke the one kind alone', async () => {
    const { revocations } = adapters();
    const user = newUser(adapters);
    const grant = newGrant();
    await user.connect(grant);
    await user.disconnect();
    const { refreshToken: token, accessToken } = grant;
    expect((await revocations.claim()).map((queued) => queued.token())).toEqual([
      { token, hint: 'refresh_token', accessToken },
    ]);
  });

  it('are queued without an access token that was changed', async () => {
    const user = newUser(adapters);
    await user.connect();
    await user.change(flipped('access_token'));
    await user.disconnect();
    const [queued] = await adapters().revocations.claim();
    expect(queued?.token()).toMatchObject({ hint: 'refresh_token' });
    expect(queued?.token()).not.toHaveProperty('accessToken');
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

describe('an account that two users connected, where revoking one token ends all that it granted', () => {
  const both = async (changes = {}) => {
    const users = [newUser(adapters), newUser(adapters)] as const;
    const grants = [newGrant(), newGrant(changes)] as const;
    for (const [n, user] of users.entries()) await user.connect(grants[n], SHARED);
    return { users, grants };
  };

  it('stays connected for one when the other disconnects, and is revoked with the last', async () => {
    const {
      users: [one, other],
      grants,
    } = await both();
    await one.disconnect();
    expect(await revokedAtShared()).toEqual([]);
    expect(await one.row()).toMatchObject({ providerRevocation: 'unsupported' });
    expect(await other.token()).toBe(grants[1].accessToken);

    await other.disconnect();
    expect(await revokedAtShared()).toEqual([grants[1].refreshToken]);
    expect(await other.row()).toMatchObject({ providerRevocation: 'done' });
  });

  it('stays connected for one when the other is deleted, and is revoked when the last is', async () => {
    const {
      users: [one, other],
      grants,
    } = await both();
    await one.delete();
    expect(await revokedAtShared()).toEqual([]);
    await other.delete();
    expect(await revokedAtShared()).toEqual([grants[1].refreshToken]);
  });

  it('is revoked when both disconnect at once', async () => {
    const { users, grants } = await both();
    await Promise.all(users.map(async (user) => user.disconnect()));
    expect(new Set(await revokedAtShared())).toEqual(
      new Set(grants.map(({ refreshToken }) => refreshToken)),
    );
  });

  it('stays connected for one who connects while what another had is queued, or whose user is gone', async () => {
    const [gone, ended, late] = [newUser(adapters), newUser(adapters), newUser(adapters)];
    for (const user of [gone, ended]) await user.connect(newGrant(), SHARED);
    await gone.delete();
    await ended.disconnect();
    await late.connect(newGrant(), SHARED);
    expect(await revokedAtShared()).toEqual([]);
  });

  it('is asked about when it was connected while a revocation was under way', async () => {
    const [one, late] = [newUser(adapters), newUser(adapters)];
    await one.connect(newGrant(), SHARED);
    await one.disconnect();
    await revokedAtShared(async () => void (await late.connect(newGrant(), SHARED)));
    const suspected = await adapters().checks.claimSuspected([], 0);
    expect(suspected.map(({ userId }) => userId)).toEqual([late.id]);
  });

  it('keeps back tokens of an account that is not known, while anybody is connected there', async () => {
    const { revocations } = adapters();
    const { users } = await both();
    const unknown = { token: 'rt unknown', hint: 'refresh_token' } as const;
    await revocations.add({ ...MAILBOX, userId: randomUUID() }, unknown);
    expect(await revokedAtShared()).toEqual([]);
    for (const user of users) await user.delete();
    await adapters().pool.query('delete from provider_revocations');
    await revocations.add({ ...MAILBOX, userId: randomUUID() }, unknown);
    expect(await revokedAtShared()).toEqual([unknown.token]);
  });

  it('is one account of one client: what others granted is revoked', async () => {
    const {
      users: [one],
      grants,
    } = await both({ accountId: 'account-2' });
    await one.connect(newGrant(), { ...SHARED, identityProvider: 'globex' });
    const id = await one.connectionId();
    await adapters().disconnect(one.id, id);
    expect(await revokedAtShared()).toEqual([grants[0].refreshToken]);
  });

  it('has nobody look for others where each consent stands by itself', async () => {
    const {
      users: [one],
      grants,
    } = await both();
    await one.disconnect();
    expect(await revoked({ separateGrants: true })).toEqual([grants[0].refreshToken]);
  });
});

describe('a connection whose tokens were revoked there', () => {
  it('says so when the outcome of the last is known, unless it was connected again', async () => {
    const user = newUser(adapters);
    await user.connect();
    await user.connect();
    await user.disconnect();
    await answerRevocations('revoked', 1);
    expect((await user.row())?.providerRevocation).toBe('pending');
    await answerRevocations('unsupported');
    expect((await user.row())?.providerRevocation).toBe('unsupported');

    await user.connect();
    await user.connect();
    await answerRevocations('revoked');
    expect((await user.row())?.providerRevocation).toBeNull();
  });
});

describe('a token of a provider without an endpoint for it', () => {
  it('is sought for a day, seldom, and its user reads then that it stands', async () => {
    const { pool, ports } = adapters();
    const user = newUser(adapters);
    await user.connect();
    await user.disconnect();
    const reason = 'no_revocation_endpoint';
    const error = new ProviderError({ failure: 'rejected', reason, sent: true, httpStatus: 404 });
    const revoke = async (): Promise<never> => Promise.reject(error);
    await revokeDueAt({ separateGrants: true, revoke });
    const waiting = `select next_at > now() + interval '25 seconds' as rests
                       from provider_revocations`;
    expect((await pool.query(waiting)).rows).toEqual([{ rests: true }]);
    expect(await user.row()).toMatchObject({ providerRevocation: 'pending' });

    await pool.query('update provider_revocations set next_at = now()');
    const now = () => new Date(Date.now() + DAY_MS + 1_000);
    await revokeDueAt({ separateGrants: true, revoke }, 100, { ...ports, now });
    expect(await user.row()).toMatchObject({ providerRevocation: 'unsupported' });
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
    expect(await user.row()).toMatchObject({ providerRevocation: 'pending' });

    await pool.query('update provider_revocations set next_at = now()');
    await revoke(new Date(Date.now() + 91 * DAY_MS));
    expect(await queued()).toEqual([]);
    expect(await user.row()).toMatchObject({ providerRevocation: 'failed' });
  });
});

/** Changes that stored tokens can suffer: a bit of each flipped, their key destroyed, or the whole row gone. */
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
      providerRevocation: 'failed',
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

/**
 * Revokes all that is due at a provider where everything an account granted ends together, and returns the tokens that
 * were sent.
 */
const revokedAtShared = async (underWay = async () => {}) => revoked(SHARED, underWay);

async function revoked(
  { separateGrants }: { readonly separateGrants: boolean },
  underWay = async () => {},
): Promise<readonly string[]> {
  const sent: string[] = [];
  const revoke: OAuthProvider['revoke'] = async ({ token }) => {
    await underWay();
    sent.push(token);
    return 'revoked';
  };
  await revokeDueAt({ separateGrants, revoke });
  return sent;
}

/** Makes the provider give this answer to the due revocations, or to so many of them. */
async function answerRevocations(answer: 'revoked' | 'unsupported', count = 100) {
  await revokeDueAt({ separateGrants: true, revoke: async () => answer }, count);
  await adapters().pool.query('update provider_revocations set next_at = now()');
}

async function revokeDueAt(
  provider: Pick<OAuthProvider, 'separateGrants' | 'revoke'>,
  count = 100,
  ports = adapters().ports,
): Promise<void> {
  const { revocations } = adapters();
  const due = (await revocations.claim()).slice(0, count);
  await revokeDue({
    ...ports,
    providers: new Map([['acme/mailbox', provider as OAuthProvider]]),
    revocations: { ...revocations, claim: async () => due },
  })();
}

describe('a token that waits to be revoked', () => {
  it('is one problem of its provider once it has waited for an hour', async () => {
    const { pool, revocations } = adapters();
    const look = () => waitingRevocations(pool).look();
    const late = { token: 'rt late', hint: 'refresh_token' } as const;
    for (const provider of ['mailbox', 'calendar'] as const) {
      await revocations.add({ ...MAILBOX, provider, userId: randomUUID() }, late);
    }
    expect(await look()).toBe('None waits for long.');
    await pool.query(`update provider_revocations set created_at = now() - interval '5 h'`);
    await revocations.add({ ...MAILBOX, identityProvider: 'globex', userId: randomUUID() }, late);
    expect(await look()).toEqual([
      {
        state: 'problem',
        found: expect.stringMatching(/^acme still takes 2 tokens of users .* for [56] hours\.$/),
        remedy: expect.stringContaining('PROVIDERS_FILE'),
      },
    ]);
  });
});
