import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { refusalOf, type StartedIntegrations, startIntegrations } from './started-integrations.js';
import { useWorld } from './world.js';

const world = useWorld();
/** Longer than any token of the provider lives: refreshed first, whatever there is. */
const FORCED = 86_400;

const viewOf = async (userId: string) => {
  const { body } = await world().service.call(userId, 'GET', '/api/integrations/mailbox');
  return body;
};

describe('a worker', () => {
  it('gets the same token again while it lives', async () => {
    const { service, provider, connected } = world();
    const { userId } = await connected();
    const first = await service.vend({ userId, minLifetimeS: 3_000 });
    const second = await service.vend({ userId });
    expect(second).toEqual(first);
    expect(first.expiresAt?.getTime()).toBeGreaterThan(Date.now() + 3_500_000);
    expect(provider.control.calls().token).toBe(1);
  });

  it('gets a refreshed one when it would end too soon', async () => {
    const { service, connected } = world();
    const { userId } = await connected();
    const before = await service.vend({ userId });
    const after = await service.vend({ userId, minLifetimeS: FORCED });
    expect(after.credentialVersion).toBe(2);
    expect(after.accessToken).not.toBe(before.accessToken);
    expect(await viewOf(userId)).toMatchObject({
      status: 'active',
      last_refreshed_at: expect.stringMatching(/Z$/),
    });
    expect((await service.vend({ userId, minLifetimeS: FORCED })).credentialVersion).toBe(3);
  });

  it('hears which scopes were not granted', async () => {
    const { service, newPerson, consent, postCode } = world();
    const person = newPerson();
    const { code } = await consent(person, 'mailbox', ['mailbox.readonly']);
    await postCode(person, { auth_code: code });
    const { userId } = person;

    expect((await service.vend({ userId, scopes: ['mailbox.readonly'] })).scopes).toEqual([
      'mailbox.readonly',
    ]);
    const scopes = ['mailbox.readonly', 'mailbox.send'];
    await expect(service.vend({ userId, scopes })).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
      details: expect.stringContaining('mailbox.send'),
    });
    expect(await refusalOf(service.vend({ userId, scopes }))).toMatchObject({
      reason: 'missing_scope',
    });
  });

  it('is told apart: never connected, unknown provider, no user at all', async () => {
    const { service, newPerson } = world();
    const { userId } = newPerson();
    expect(await refusalOf(service.vend({ userId }))).toEqual({
      code: status.NOT_FOUND,
      reason: 'not_connected',
    });
    expect(await refusalOf(service.vend({ userId, provider: 'fax' }))).toEqual({
      code: status.NOT_FOUND,
      reason: 'unknown_provider',
    });
    expect(await refusalOf(service.vend({ userId: 'nobody' }))).toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
  });

  it('needs a service token for this service with the scope for it', async () => {
    const { service, issuer, connected } = world();
    const { userId } = await connected();
    for (const [serviceToken, code] of [
      [issuer.serviceToken('integrations', 'events:publish'), status.PERMISSION_DENIED],
      [issuer.serviceToken('auth', 'tokens:read'), status.UNAUTHENTICATED],
      [issuer.userToken(userId), status.UNAUTHENTICATED],
      ['nonsense', status.UNAUTHENTICATED],
    ] as const) {
      expect(await refusalOf(service.vend({ userId, serviceToken }))).toMatchObject({ code });
    }
  });
});

describe('a refresh token', () => {
  it.each([
    ['no expires_in', { expires_in: undefined }],
    ['expires_in 0', { expires_in: 0 }],
    ['a negative expires_in', { expires_in: -1 }],
    ['expires_in null', { expires_in: null }],
    ['expires_in in words', { expires_in: 'soon' }],
    ['scopes in another order', { scope: 'mailbox.modify mailbox.send mailbox.readonly openid' }],
    ['scopes as a list', { scope: ['mailbox.modify', 'mailbox.send', 'mailbox.readonly'] }],
    ['no scope', { scope: undefined }],
    ['no token type', { token_type: undefined }],
    ['an odd id_token', { id_token: 'odd' }],
  ])('survives its rotation in an answer with %s', async (_, odd) => {
    const { service, provider, connected } = world();
    const { userId } = await connected();
    provider.bend((answer) => ({ ...answer, ...odd }));
    const bent = await service.vend({ userId, minLifetimeS: FORCED });
    expect(bent).toMatchObject({
      credentialVersion: 2,
      scopes: ['mailbox.readonly', 'mailbox.send', 'mailbox.modify'],
    });
    expect(bent.expiresAt?.getTime()).toBeGreaterThan(Date.now() + 3_000_000);

    provider.bend();
    const straight = await service.vend({ userId, minLifetimeS: FORCED });
    expect(straight.credentialVersion).toBe(3);
  });

  it('is kept from an answer without an access token', async () => {
    const { service, provider, connected } = world();
    const { userId } = await connected();
    provider.bend(({ refresh_token }) => ({ refresh_token }));
    expect(await refusalOf(service.vend({ userId, minLifetimeS: FORCED }))).toMatchObject({
      code: status.UNAVAILABLE,
    });

    provider.bend();
    const renewed = await eventually(async () => service.vend({ userId, minLifetimeS: FORCED }));
    expect(renewed.credentialVersion).toBe(2);
  });

  it('stays when the provider gives no new one', async () => {
    const { service, provider, connected } = world();
    const { userId } = await connected();
    let rotated: unknown;
    provider.bend(({ refresh_token, ...answer }) => {
      rotated = refresh_token;
      return { ...answer, refresh_token: '' };
    });
    const { credentialVersion } = await service.vend({ userId, minLifetimeS: FORCED });
    expect(credentialVersion).toBe(2);
    expect(rotated).toEqual(expect.any(String));

    // This provider wants the new one that it was kept from giving: the old one is used, and refused.
    provider.bend();
    expect(await refusalOf(service.vend({ userId, minLifetimeS: FORCED }))).toMatchObject({
      reason: 'reconnect_required',
    });
  });
});

describe('while the provider is down', () => {
  it('a token is served as long as it lives as long as wished', async () => {
    const { service, provider, connected } = world();
    const { userId } = await connected();
    provider.control.fail({ endpoint: 'token', calls: 1, status: 503 });

    expect(await refusalOf(service.vend({ userId, minLifetimeS: FORCED }))).toEqual({
      code: status.UNAVAILABLE,
      reason: 'provider_unavailable',
    });
    expect(await viewOf(userId)).toMatchObject({
      connected: true,
      status: 'degraded',
      status_reason: 'http_503',
    });
    expect((await service.vend({ userId, minLifetimeS: 3_000 })).credentialVersion).toBe(1);
    // Resting: nobody is asked again at once.
    await refusalOf(service.vend({ userId, minLifetimeS: FORCED }));
    expect(provider.control.calls().token).toBe(2);

    const renewed = await eventually(async () => service.vend({ userId, minLifetimeS: FORCED }));
    expect(renewed.credentialVersion).toBe(2);
    expect(await viewOf(userId)).toMatchObject({ status: 'active', status_reason: null });
  });
});

describe('access that was taken away at the provider', () => {
  it('is noticed by one refused refresh, and nobody asks again', async () => {
    const { service, provider, database, connected } = world();
    const person = await connected();
    const { userId } = person;
    provider.control.revokeAccount(person.email);
    provider.control.reset();

    for (let time = 1; time <= 3; time++) {
      expect(await refusalOf(service.vend({ userId, minLifetimeS: FORCED }))).toEqual({
        code: status.FAILED_PRECONDITION,
        reason: 'reconnect_required',
      });
    }
    expect(provider.control.calls().token).toBe(1);
    expect(await viewOf(userId)).toMatchObject({
      connected: false,
      status: 'reconnect_required',
      status_reason: 'invalid_grant',
    });
    const { rows } = await database.pool.query(
      'select from credentials join connections using (connection_id) where user_id = $1',
      [userId],
    );
    expect(rows).toEqual([]);

    await connected(person);
    expect(await viewOf(userId)).toMatchObject({ connected: true, status: 'active' });
  });
});

describe('a connection that ends while it is refreshed', () => {
  it('hands out nothing, and what was received is revoked', async () => {
    const { service, provider, connected } = world();
    const person = await connected();
    const { userId } = person;
    provider.control.fail({ endpoint: 'token', calls: 1, delayMs: 500 });
    // Or the old refresh token would be revoked before the new one is made.
    provider.control.fail({ endpoint: 'revocation', calls: 1, status: 503, delayMs: 1_000 });

    const vended = refusalOf(service.vend({ userId, minLifetimeS: FORCED }));
    await eventually(() => expect(provider.control.calls().token).toBe(2));
    expect((await service.call(userId, 'DELETE', '/api/integrations/mailbox')).status).toBe(204);
    expect(await vended).toEqual({ code: status.FAILED_PRECONDITION, reason: 'disconnected' });

    await eventually(async () => {
      const { rows } = await world().database.pool.query('select from provider_revocations');
      expect(rows).toEqual([]);
    });
    expect(provider.control.calls().revocation).toBe(3);
    expect(provider.control.revokeAccount(person.email)).toBe(0);
  });
});

describe('two replicas', () => {
  let second: StartedIntegrations;
  beforeAll(async () => {
    second = await startIntegrations(world().surroundings);
  }, 60_000);
  afterAll(async () => {
    await second?.end('SIGKILL');
  });

  it('refresh once for many callers at both', async () => {
    const { service, provider, database, connected } = world();
    const { userId } = await connected();
    await Promise.all([service.vend({ userId }), second.vend({ userId })]);
    await expire(database.pool, userId);
    provider.control.fail({ endpoint: 'token', calls: 1, delayMs: 300 });

    const callers = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? service : second));
    const tokens = await Promise.all(callers.map(async (one) => one.vend({ userId })));
    expect(new Set(tokens.map(({ accessToken }) => accessToken)).size).toBe(1);
    expect(tokens[0]?.credentialVersion).toBe(2);
    expect(provider.control.calls().token).toBe(2);
  });

  it('go on when one is killed in the middle of a refresh', async () => {
    const { service, provider, database, connected } = world();
    const { userId } = await connected();
    await expire(database.pool, userId);
    provider.control.fail({ endpoint: 'token', calls: 1, delayMs: 1_500, status: 503 });

    const lost = refusalOf(second.vend({ userId })).catch(() => undefined);
    await eventually(() => expect(provider.control.calls().token).toBe(2));
    await second.end('SIGKILL');
    await lost;

    // Its lease is respected; half a minute is not waited for here.
    const waiting = service.vend({ userId });
    await database.pool.query(
      `update credentials set lease_until = now() where connection_id in (
         select connection_id from connections where user_id = $1)`,
      [userId],
    );
    expect((await waiting).credentialVersion).toBe(2);
    expect(provider.control.calls().token).toBe(3);
  });
});

const expire = async (
  pool: { query(text: string, values: unknown[]): Promise<unknown> },
  userId: string,
): Promise<void> => {
  await pool.query(
    `update credentials set expires_at = now() where connection_id in (
       select connection_id from connections where user_id = $1)`,
    [userId],
  );
};
