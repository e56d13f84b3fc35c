import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { world } from './shared-world.js';
import { refusalOf, type StartedIntegrations } from './started-integrations.js';

/** Lifetime in seconds that no token of the provider has: a token that came with a connect is refreshed first. */
const FORCED = 86_400;

const viewOf = async (userId: string) => {
  const { body } = await world().service.call(userId, 'GET', '/api/integrations/mailbox');
  return body;
};

describe('a worker', () => {
  it('gets the same token again while it lives, and a refreshed one when it would end too soon', async () => {
    const { service, provider, connected } = world();
    const { userId } = await connected();
    const first = await service.vend({ userId, minLifetimeS: 3_000 });
    expect(await service.vend({ userId })).toEqual(first);
    expect(first.expiresAt?.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    expect((await provider.control.calls()).token).toBe(1);

    const after = await service.vend({ userId, minLifetimeS: FORCED });
    expect(after.credentialVersion).toBe(2);
    expect(after.accessToken).not.toBe(first.accessToken);
    // The provider has shown what it gives: another refresh would fall short too.
    expect(await service.vend({ userId, minLifetimeS: FORCED })).toEqual(after);
    expect(await viewOf(userId)).toMatchObject({
      status: 'active',
      last_refreshed_at: expect.stringMatching(/Z$/),
    });
  });

  it('is told apart: scopes not granted, never connected, unknown provider, no user at all', async () => {
    const { service, newPerson, connected } = world();
    const scopes = ['mailbox.readonly', 'calendar.events'];
    await expect(service.vend({ ...(await connected()), scopes })).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
      details: expect.stringContaining('calendar.events'),
    });
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
});

describe('a worker over HTTP', () => {
  it('gets and reports the same tokens, at the port of the service alone', async () => {
    const { service, issuer, newPerson, connected } = world();
    const { userId } = await connected();
    const { expiresAt, accessToken, ...vended } = await service.vend({ userId });
    const who = { user_id: userId, provider: 'mailbox' };
    const ask = (path: string, json: object, scope = 'tokens:read') =>
      service.call(undefined, 'POST', path, {
        headers: { authorization: `Bearer ${issuer.serviceToken('integrations', scope)}` },
        json,
      });
    const tokens = '/internal/api/integrations/tokens';
    expect(await ask(tokens, who)).toMatchObject({
      status: 200,
      body: {
        access_token: accessToken,
        expires_at: expiresAt?.toISOString(),
        scopes: vended.scopes,
        credential_version: vended.credentialVersion,
        integration_id: vended.integrationId,
      },
    });
    expect(await ask(`${tokens}/report`, { ...who, credential_version: 1 })).toMatchObject({
      status: 200,
      body: { status: 'active', credential_version: 1 },
    });
    for (const [json, code] of [
      [{ ...who, scopes: ['calendar.events'] }, 'missing_scope'],
      [{ ...who, user_id: newPerson().userId }, 'not_connected'],
      [{ ...who, user_id: 'nobody' }, 'invalid_request'],
    ] as const) {
      expect(await ask(tokens, json)).toMatchObject({ body: { code } });
    }
    expect(await ask(tokens, who, 'connections:read')).toMatchObject({ status: 403 });
    expect(await service.call(userId, 'POST', tokens, { json: who })).toMatchObject({
      status: 401,
      body: { code: 'service_token_refused' },
    });
    expect(await ask('/api/integrations/tokens', who)).toMatchObject({ status: 405 });
  });
});

describe('a worker whose token the provider refused', () => {
  it('hears that it is good, or gets another, or is to come back, or that the connection has ended', async () => {
    const { service, provider, connected } = world();
    const { userId, email } = await connected();
    const refused = (credentialVersion: number) => ({
      userId,
      provider: 'mailbox',
      credentialVersion,
    });

    await service.vend({ userId });
    expect(await service.report(refused(1))).toEqual({ status: 'active', credentialVersion: 1 });
    await service.vend({ userId, minLifetimeS: FORCED });
    await provider.control.fail({ endpoint: 'introspection', calls: 100, status: 503 });
    expect(await refusalOf(service.report(refused(2)))).toMatchObject({ code: status.UNAVAILABLE });
    // The provider is not asked about a token that was replaced.
    expect(await service.report(refused(1))).toEqual({ status: 'active', credentialVersion: 2 });

    await provider.control.reset();
    await provider.control.revokeAccount(email);
    expect(await service.report(refused(2))).toEqual({ status: 'revoked', credentialVersion: 2 });
    expect(await refusalOf(service.vend({ userId }))).toMatchObject({ reason: 'revoked' });
    const told = service.report({ ...refused(1), provider: 'calendar' });
    expect(await refusalOf(told)).toMatchObject({ code: status.NOT_FOUND });
  });
});

describe('the log', () => {
  it('names who asked for a token and what came of it, and holds no token', async () => {
    const { service, provider, connected } = world();
    const { userId } = await connected();
    await service.vend({ userId, minLifetimeS: FORCED });
    await refusalOf(service.vend({ userId, scopes: ['calendar.events'] }));
    await service.report({ userId, provider: 'mailbox', credentialVersion: 2 });
    const odd = { userId, provider: 'a name of the caller' };
    await refusalOf(service.vend(odd));
    await refusalOf(service.report({ ...odd, provider: 'calendar', credentialVersion: 1 }));

    const lines = () => auditOf(service.logs(), userId);
    const of = { level: 'info', client_id: 'cli_1', user_id: userId };
    const known = { ...of, provider: 'mailbox', connection_id: expect.stringMatching(/^con_/) };
    const told = [
      expect.objectContaining({
        ...known,
        msg: 'access token vended',
        credential_version: 2,
        code: 'ok',
      }),
      expect.objectContaining({
        ...known,
        msg: 'access token refused',
        credential_version: 2,
        code: 'missing_scope',
      }),
      expect.objectContaining({
        ...known,
        msg: 'refused access token reported',
        credential_version: 2,
        code: 'ok',
      }),
      expect.objectContaining({ ...of, msg: 'access token refused', code: 'unknown_provider' }),
      expect.objectContaining({
        ...of,
        msg: 'report of a refused access token failed',
        provider: 'calendar',
        code: 'not_connected',
      }),
    ];
    // A line may come after the answer that it is about.
    await eventually(() => expect(lines()).toEqual(told));
    expect(provider.overheard().size).toBeGreaterThan(4);
    const text = JSON.stringify(lines());
    for (const secret of provider.overheard()) expect(text).not.toContain(secret);
    expect(text).not.toContain(odd.provider);
  });
});

describe('the connections of a user', () => {
  it('are listed with how they are, without the account, for who may see them', async () => {
    const { service, issuer, newPerson, connected } = world();
    const { userId, email } = await connected();
    await service.call(userId, 'DELETE', '/api/integrations/mailbox');
    await connected({ userId, email }, 'calendar');
    const { connections } = await service.listConnections(userId);
    expect(connections).toEqual([
      expect.objectContaining({
        provider: 'mailbox',
        status: 'disconnected',
        statusReason: 'user',
      }),
      {
        integrationId: expect.stringMatching(/^con_/),
        identityProvider: 'acme',
        isPrimary: true,
        provider: 'calendar',
        status: 'active',
        statusReason: '',
        grantedScopes: ['calendar.readonly', 'calendar.events'],
        missingScopes: [],
        credentialVersion: 1,
        connectedAt: expect.any(Date),
      },
    ]);
    expect(JSON.stringify(connections)).not.toContain(email);
    expect(await service.listConnections(newPerson().userId)).toEqual({ connections: [] });
    const tokensOnly = issuer.serviceToken('integrations', 'tokens:read');
    expect(await refusalOf(service.listConnections(userId, tokensOnly))).toMatchObject({
      code: status.PERMISSION_DENIED,
    });
  });
});

describe('two replicas', () => {
  let second: StartedIntegrations;
  beforeAll(async () => {
    second = await world().startAnother();
  }, 90_000);
  afterAll(async () => second?.end('SIGKILL'));

  /** Vends so many tokens at once, from each replica in turn. */
  const vendMany = async (count: number, userId: string) => {
    const callers = Array.from({ length: count }, (_, n) => (n % 2 ? second : world().service));
    return Promise.allSettled(callers.map(async (one) => one.vend({ userId })));
  };

  it('refresh once for two hundred callers at the moment of expiry', async () => {
    const { provider, connected, changeCredentials } = world();
    const [{ userId }, other] = [await connected(), await connected()];
    await vendMany(2, userId);
    await changeCredentials(userId, 'expires_at = now(), refresh_at = now()');
    const refresh = provider.hold();

    const vending = vendMany(200, userId);
    // These calls use the same connections, so the two hundred were sent before their answers come.
    await vendMany(2, other.userId);
    await refresh.arrived;
    refresh.release();
    const vended = await vending;
    expect(vended.filter(({ status }) => status === 'rejected')).toEqual([]);
    const tokens = vended.map((each) => each.status === 'fulfilled' && each.value?.accessToken);
    expect(new Set(tokens).size).toBe(1);
    expect((await provider.control.calls()).token).toBe(3);
    expect((await world().service.vend({ userId })).credentialVersion).toBe(2);
  });

  it('refresh once ahead of expiry though nobody asks', async () => {
    const { service, provider, connected, changeCredentials } = world();
    const { userId } = await connected();
    await changeCredentials(userId, 'refresh_at = now()');
    await eventually(async () => {
      expect((await service.vend({ userId })).credentialVersion).toBe(2);
    });
    expect((await provider.control.calls()).token).toBe(2);
    await eventually(async () => {
      const told = await Promise.all(
        [service, second].map(async ({ url }) => (await fetch(`${url}/internal/metrics`)).text()),
      );
      expect(told.join('')).toMatch(/junction_token_refreshes_total{.*="refreshed".*} [1-9]/);
      expect(told[0]).toMatch(/junction_token_refreshes_due{.*provider="mailbox".*} 0/);
    });
  });

  it('hand out no token once a disconnect was answered', async () => {
    const { service, connected } = world();
    const { userId } = await connected();
    const during = vendMany(100, userId);
    expect((await service.call(userId, 'DELETE', '/api/integrations/mailbox')).status).toBe(204);

    const after = await vendMany(100, userId);
    const codes = after.map((each) => each.status === 'rejected' && each.reason.code);
    expect(new Set(codes)).toEqual(new Set([status.FAILED_PRECONDITION]));
    await during;
  });

  it('wait for one that sleeps in the middle of a refresh', async () => {
    const { service, provider, connected, changeCredentials } = world();
    const { userId } = await connected();
    await changeCredentials(userId, 'expires_at = now()');
    const refresh = provider.hold();

    const slow = second.vend({ userId });
    await refresh.arrived;
    const overheard = provider.overheard().size;
    second.signal('SIGSTOP');
    refresh.release();
    const waiting = service.vend({ userId });
    try {
      // The only good refresh token lies in the hands of a process that does not run.
      await eventually(() => expect(provider.overheard().size).toBeGreaterThan(overheard));
    } finally {
      second.signal('SIGCONT');
    }
    expect((await waiting).credentialVersion).toBe(2);
    expect(await slow).toEqual(await waiting);
    expect((await provider.control.calls()).token).toBe(2);
  });
});

/** Returns the log lines about calls for the tokens of this user. */
const auditOf = (logs: string, userId: string): readonly Record<string, unknown>[] =>
  logs
    .split('\n')
    .filter((line) => line.includes('"client_id"') && line.includes(userId))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
