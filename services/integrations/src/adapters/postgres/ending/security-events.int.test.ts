import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newGrant, newUser, useAdapters } from '../../../../test/on-postgres.js';
import { takeSecurityEvent } from '../../../application/ending/security-events.js';
import { keepRefreshToken, saveRefresh } from '../../../application/refreshing/save-refresh.js';
import type { Provider } from '../../../domain/connection/events.js';
import type { SecurityEvent } from '../../../domain/security-event.js';
import { purgeSecurityEvents } from './security-events.js';

const adapters = useAdapters();
const BEGAN = new Date('2026-01-02T03:04:05.678Z');
const MINUTE_MS = 60_000;
/** Both hashes are OpenSSL's: `openssl dgst -sha512 -binary` twice, then base64. */
const TOKEN = '1//0gExampleOfARefreshTokenAsGoogleMakesThem';
const HASH =
  'aWKk0WTCwvJ1dEcWwImKb8Hvy9y2s2lusbHcsTBjJ4Aah/y08MjABzd+I+rsZvhdqDVOC9t3zeu1rfQQxzrBZw==';
const OTHER_TOKEN = '1//0gAnotherRefreshTokenThatBeginsOtherwise';
const OTHER_HASH =
  '9YzEIPGnQLAndvkSHgQnCVyCmW4CBhi1UKSqITcQbucJIjZhAx4Muwn33rBAUFWmvPoXfA3NDBJURk1F/fs//A==';
const after = (ms: number) => new Date(BEGAN.getTime() + ms);

describe('a security event', () => {
  it('ends the connections of its account, whoever connected it, and no other', async () => {
    const accountId = randomUUID();
    const [ada, bob, other] = [
      await connected(accountId),
      await connected(accountId),
      await connected(),
    ];
    const elsewhere = await connected(accountId, 'calendar');
    const jti = await take(about(accountId));
    for (const user of [ada, bob]) {
      expect(await user.row()).toMatchObject({
        status: 'revoked',
        statusReason: 'tokens_revoked',
      });
      expect(await user.hasTokens()).toBe(false);
    }
    for (const user of [other, elsewhere]) {
      expect(await user.row()).toMatchObject({ status: 'active' });
      expect(await user.hasTokens()).toBe(true);
    }
    expect(await recorded(jti)).toEqual([{ names: ['tokens-revoked'], effect: 'ended' }]);
  });

  it('that an account is disabled has its tokens revoked there, since they may live on', async () => {
    const [disabled, revoked] = [await connected(), await connected()];
    await take({ ...about(disabled.accountId), names: ['account-disabled'] });
    await take(about(revoked.accountId));
    for (const user of [disabled, revoked]) {
      expect(await user.row()).toMatchObject({ status: 'revoked', providerRevocation: null });
      expect(await user.hasTokens()).toBe(false);
    }
    const connectionId = await disabled.connectionId();
    const queued = await adapters().revocations.claim();
    expect(queued).toMatchObject([{ connectionId, client: 'acme/mailbox' }]);
    const token = { token: disabled.refreshToken, hint: 'refresh_token' };
    expect(queued[0]?.token()).toMatchObject(token);
  });

  it('has its effect once, also after the user connected again', async () => {
    const user = await connected();
    const event = eventOf(about(user.accountId));
    await take(event);
    expect(await user.row()).toMatchObject({ status: 'revoked' });
    await user.connect(after(-MINUTE_MS));
    await take(event);
    expect(await user.row()).toMatchObject({ status: 'active' });
    await take({ ...event, jti: randomUUID() });
    expect(await user.row()).toMatchObject({ status: 'revoked' });
  });

  it('that may concern the tokens, or may be older, has the provider asked', async () => {
    const [ada, bob] = [await connected(), await connected()];
    const jti = await take({ ...about(ada.accountId), names: ['session-revoked'] });
    await take({ ...about(bob.accountId), happenedAt: after(-MINUTE_MS) });
    for (const user of [ada, bob]) {
      expect(await user.row()).toMatchObject({ status: 'active' });
      expect(await user.isSuspected()).toBe(true);
    }
    expect(await recorded(jti)).toMatchObject([{ effect: 'suspected' }]);
  });

  it('that names a token by its hash ends the connection that has it', async () => {
    const [user, elsewhere] = [
      await connected(undefined, 'mailbox', TOKEN),
      await connected(undefined, 'calendar', TOKEN),
    ];
    const names = ['token-revoked'];
    const unknown = await take({ names, subject: byHash(OTHER_HASH) });
    expect(await recorded(unknown)).toMatchObject([{ effect: 'none' }]);
    expect(await user.row()).toMatchObject({ status: 'active' });

    const jti = await take({ names, subject: byHash(HASH) });
    expect(await user.row()).toMatchObject({ status: 'revoked', statusReason: 'token_revoked' });
    expect(await user.hasTokens()).toBe(false);
    expect(await elsewhere.row()).toMatchObject({ status: 'active' });
    expect(await recorded(jti)).toEqual([{ names, effect: 'ended' }]);
  });

  it('that names a token is about the one it was rotated to, however that came', async () => {
    const { ports } = adapters();
    const [saved, recovered] = [
      await connected(undefined, 'mailbox', OTHER_TOKEN),
      await connected(undefined, 'calendar', OTHER_TOKEN),
    ];
    await saveRefresh(ports, await saved.ours(), newGrant({ refreshToken: TOKEN }));
    await keepRefreshToken(ports, await recovered.ours(), TOKEN);
    const names = ['token-revoked'];
    for (const [user, provider] of [
      [saved, 'mailbox'],
      [recovered, 'calendar'],
    ] as const) {
      await take({ names, subject: byHash(OTHER_HASH) }, provider);
      expect(await user.row()).toMatchObject({ status: 'active' });
      await take({ names, subject: byHash(HASH) }, provider);
      expect(await user.row()).toMatchObject({ status: 'revoked' });
    }
  });

  it('that names a token by how it begins ends the one connection whose token does', async () => {
    const subject = { by: 'token_prefix', value: TOKEN.slice(0, 16) } as const;
    const event = { names: ['token-revoked'], subject };
    // A prefix is not kept when the rest of the token could be guessed.
    const short = await connected(undefined, 'mailbox', TOKEN.slice(0, 37));
    const [user, alike] = [
      await connected(undefined, 'mailbox', TOKEN),
      await connected(undefined, 'mailbox', `${TOKEN.slice(0, -1)}x`),
    ];
    const ambiguous = await take(event);
    expect(await recorded(ambiguous)).toMatchObject([{ effect: 'none' }]);
    expect(await user.row()).toMatchObject({ status: 'active' });

    await saveRefresh(adapters().ports, await alike.ours(), newGrant());
    await take(event);
    expect(await user.row()).toMatchObject({ status: 'revoked', statusReason: 'token_revoked' });
    for (const one of [short, alike]) expect(await one.row()).toMatchObject({ status: 'active' });
  });

  it('sent twice at once counts once', async () => {
    const user = await connected();
    const event = eventOf(about(user.accountId));
    await Promise.all([take(event), take(event), take(event)]);
    const connectionId = await user.connectionId();
    const events = await adapters().history.events(connectionId, { before: 100, limit: 10 });
    expect(events.map(({ event: { type } }) => type)).toEqual([
      'integration.revoked',
      'integration.connected',
    ]);
  });

  it('is remembered for a month', async () => {
    const { pool } = adapters();
    const [kept, gone] = [await take({}), await take({})];
    const age = async (jti: string, days: number) =>
      pool.query(
        `update security_events set received_at = now() - make_interval(days => $2)
          where jti_hash = sha256($1::bytea)`,
        [Buffer.from(jti), days],
      );
    await age(kept, 30);
    await age(gone, 32);
    await purgeSecurityEvents(pool);
    expect(await recorded(kept)).toHaveLength(1);
    expect(await recorded(gone)).toEqual([]);
  });
});

const about = (accountId: string): Pick<SecurityEvent, 'subject'> => ({
  subject: { by: 'account', value: accountId },
});

const byHash = (base64: string) =>
  ({ by: 'token_hash', value: Buffer.from(base64, 'base64') }) as const;

const eventOf = (changes: Partial<SecurityEvent>): SecurityEvent => ({
  jti: randomUUID(),
  names: ['tokens-revoked'],
  subject: undefined,
  issuedAt: after(0),
  happenedAt: after(0),
  ...changes,
});

async function take(
  changes: Partial<SecurityEvent>,
  provider: Provider = 'mailbox',
): Promise<string> {
  const event = eventOf(changes);
  await takeSecurityEvent(adapters().ports, { identityProvider: 'acme', provider }, event);
  return event.jti;
}

async function recorded(jti: string) {
  const { rows } = await adapters().pool.query(
    `select names, effect from security_events where jti_hash = sha256($1::bytea)`,
    [Buffer.from(jti)],
  );
  return rows as readonly unknown[];
}

async function connected(
  accountId = randomUUID(),
  provider: Provider = 'mailbox',
  refreshToken = newGrant().refreshToken,
) {
  const user = newUser(adapters, provider);
  const connect = async (at: Date) => user.connect(newGrant({ accountId, refreshToken }), { at });
  await connect(BEGAN);
  return {
    ...user,
    accountId,
    refreshToken,
    connect,
    async isSuspected() {
      const { rows } = await adapters().pool.query<{ suspected: boolean }>(
        'select suspected from connection_checks where connection_id = $1',
        [await user.connectionId()],
      );
      return rows[0]?.suspected;
    },
  };
}
