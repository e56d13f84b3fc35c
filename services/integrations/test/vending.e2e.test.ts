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
