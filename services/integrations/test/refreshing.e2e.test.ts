import type { ServerResponse } from 'node:http';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { refusalOf } from './started-integrations.js';
import { useWorld } from './world.js';

const world = useWorld();
/** Longer than any token of the provider lives: refreshed first, whatever there is. */
const FORCED = 86_400;

describe('a refresh token', () => {
  it('survives its rotation in an answer whose other fields are odd', async () => {
    const { service, provider, connected } = world();
    const { userId } = await connected();
    provider.alter((answer) => ({
      ...answer,
      expires_in: 'soon',
      scope: ['mailbox.modify', 'mailbox.send', 'mailbox.readonly'],
      token_type: undefined,
      id_token: 'odd',
    }));
    const faulty = await service.vend({ userId, minLifetimeS: FORCED });
    expect(faulty).toMatchObject({
      credentialVersion: 2,
      scopes: ['mailbox.readonly', 'mailbox.send', 'mailbox.modify'],
    });

    provider.alter();
    const straight = await service.vend({ userId, minLifetimeS: FORCED });
    expect(straight.credentialVersion).toBe(3);
  });

  it('is kept from an answer without an access token', async () => {
    const { service, provider, connected } = world();
    const { userId } = await connected();
    provider.alter(({ refresh_token }) => ({ refresh_token }));
    expect(await refusalOf(service.vend({ userId, minLifetimeS: FORCED }))).toMatchObject({
      code: status.UNAVAILABLE,
    });

    provider.alter();
    const renewed = await eventually(async () => service.vend({ userId, minLifetimeS: FORCED }));
    // Here or there by the service itself, which tries again what failed.
    expect(renewed.credentialVersion).toBeGreaterThanOrEqual(2);
  });

  it('stays when the provider gives no new one', async () => {
    const { service, provider, connected } = world();
    const { userId } = await connected();
    let rotated: unknown;
    provider.alter(({ refresh_token, ...answer }) => {
      rotated = refresh_token;
      return { ...answer, refresh_token: '' };
    });
    const { credentialVersion } = await service.vend({ userId, minLifetimeS: FORCED });
    expect(credentialVersion).toBe(2);
    expect(rotated).toEqual(expect.any(String));

    // This provider wants the new one that it was kept from giving: the old one is used, and refused.
    provider.alter();
    expect(await refusalOf(service.vend({ userId, minLifetimeS: FORCED }))).toMatchObject({
      reason: 'reconnect_required',
    });
  });
});

describe('an answer that is lost on its way', () => {
  it('is the reason that is told when the old refresh token is refused', async () => {
    const { service, provider, connected } = world();
    const { userId } = await connected();
    provider.alter(() => (res: ServerResponse) => res.destroy());
    const vended = () => refusalOf(service.vend({ userId, minLifetimeS: FORCED }));
    expect(await vended()).toMatchObject({ code: status.UNAVAILABLE });

    provider.alter();
    // The service tries again by itself as well.
    await eventually(async () => {
      expect(await vended()).toMatchObject({ reason: 'reconnect_required' });
    });
    const { body } = await service.call(userId, 'GET', '/api/integrations/mailbox');
    expect(body).toMatchObject({ connected: false, status_reason: 'refresh_token_lost' });
  });
});

describe('a provider that wants to be left alone', () => {
  it('is asked by nobody until the Retry-After of its 429 is over, and then again', async () => {
    const { service, provider, database, connected } = world();
    const [{ userId }, other] = [await connected(), await connected()];
    const forced = async () => service.vend({ userId, minLifetimeS: FORCED });
    await provider.control.reset();
    await provider.control.fail({ endpoint: 'token', calls: 1, status: 429, retryAfterS: 1_800 });
    const refused = { code: status.UNAVAILABLE, reason: 'provider_unavailable' };
    expect(await refusalOf(forced())).toEqual(refused);
    const { body } = await service.call(userId, 'GET', '/api/integrations/mailbox');
    expect(body).toMatchObject({ status: 'degraded', status_reason: 'http_429' });
    expect(await refusalOf(forced())).toEqual(refused);

    const change = async (of: string, what: string) =>
      database.pool.query(
        `update credentials k set ${what} from connections c
          where c.connection_id = k.connection_id and c.user_id = $1`,
        [of],
      );
    const { rows } = await database.pool.query<{ rest_s: number }>(
      `select extract(epoch from next_attempt_at - now())::float8 as rest_s
         from credentials join connections using (connection_id) where user_id = $1`,
      [userId],
    );
    expect(rows[0]?.rest_s).toBeGreaterThan(1_600);
    expect(rows[0]?.rest_s).toBeLessThanOrEqual(1_800);
    // Nor in the background, where it comes first.
    await change(userId, `refresh_at = now() - interval '1 hour'`);
    await change(other.userId, 'refresh_at = now()');
    await eventually(async () => {
      expect((await service.vend({ userId: other.userId })).credentialVersion).toBe(2);
    });
    expect((await provider.control.calls()).token).toBe(2);
    expect((await service.vend({ userId })).credentialVersion).toBe(1);

    await change(userId, 'next_attempt_at = now()');
    expect((await forced()).credentialVersion).toBe(2);
    expect((await provider.control.calls()).token).toBe(3);
  });
});

describe('access that was taken away at the provider', () => {
  it('is noticed by one refused refresh, and nobody asks again', async () => {
    const { service, provider, database, connected } = world();
    const person = await connected();
    const { userId } = person;
    await provider.control.revokeAccount(person.email);
    await provider.control.reset();

    for (let time = 1; time <= 3; time++) {
      expect(await refusalOf(service.vend({ userId, minLifetimeS: FORCED }))).toEqual({
        code: status.FAILED_PRECONDITION,
        reason: 'reconnect_required',
      });
    }
    expect((await provider.control.calls()).token).toBe(1);
    const view = async () => (await service.call(userId, 'GET', '/api/integrations/mailbox')).body;
    expect(await view()).toMatchObject({
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
    expect(await view()).toMatchObject({ connected: true, status: 'active' });
  });
});

describe('a grant whose scopes the provider no longer gives', () => {
  it('waits for its user after one refresh, which asked for no scopes', async () => {
    const { service, provider, connected } = world();
    const person = await connected();
    provider.alter(() => (res: ServerResponse) => {
      res.writeHead(400, { 'content-type': 'application/json' });
      res.end('{"error":"invalid_scope"}');
    });
    const { userId } = person;
    for (let time = 1; time <= 2; time++) {
      expect(await refusalOf(service.vend({ userId, minLifetimeS: FORCED }))).toEqual({
        code: status.FAILED_PRECONDITION,
        reason: 'reconnect_required',
      });
    }
    expect((await provider.control.calls()).token).toBe(2);
    const view = async () => (await service.call(userId, 'GET', '/api/integrations/mailbox')).body;
    expect(await view()).toMatchObject({ connected: false, status_reason: 'invalid_scope' });

    provider.alter();
    await connected(person);
    expect(await view()).toMatchObject({ connected: true, status: 'active' });
  });
});

const ANSWERS = [
  ['tokens', (answer: object) => answer],
  ['a refresh token alone', ({ refresh_token }: Record<string, unknown>) => ({ refresh_token })],
] as const;

describe('a connection that is made anew while it is refreshed', () => {
  it.each(ANSWERS)(
    'goes on with the new consent, and has %s revoked that came too late',
    async (_, faulty) => {
      const { service, provider, connected } = world();
      const person = await connected();
      const { userId } = person;
      const [refresh, revocation] = [provider.hold('token'), provider.hold('revocation')];
      const vended = service.vend({ userId, minLifetimeS: FORCED }).catch(() => undefined);
      await refresh.arrived;
      await connected(person);
      await revocation.arrived;
      provider.alter(faulty);
      refresh.release();
      await vended;
      // Revoked earlier, the old refresh token would bring no new one.
      revocation.release();

      await allRevoked();
      expect((await provider.control.calls()).revocation).toBe(2);
      provider.alter();
      expect((await service.vend({ userId, minLifetimeS: FORCED })).credentialVersion).toBe(3);
    },
  );
});

describe('a connection that ends while it is refreshed', () => {
  it.each(ANSWERS)(
    'hands out nothing, and has %s revoked that came too late',
    async (_, faulty) => {
      const { service, provider, connected } = world();
      const person = await connected();
      const { userId } = person;
      provider.alter(faulty);
      const [refresh, revocation] = [provider.hold('token'), provider.hold('revocation')];
      const vended = refusalOf(service.vend({ userId, minLifetimeS: FORCED }));
      await refresh.arrived;
      expect((await service.call(userId, 'DELETE', '/api/integrations/mailbox')).status).toBe(204);
      await revocation.arrived;
      refresh.release();
      expect(await vended).toEqual({ code: status.FAILED_PRECONDITION, reason: 'disconnected' });
      // Revoked earlier, the old refresh token would bring no new one.
      revocation.release();

      await allRevoked();
      expect((await provider.control.calls()).revocation).toBe(2);
      expect(await provider.control.revokeAccount(person.email)).toBe(0);
    },
  );
});

const allRevoked = async (): Promise<void> =>
  eventually(async () => {
    const { rows } = await world().database.pool.query('select from provider_revocations');
    expect(rows).toEqual([]);
  });
