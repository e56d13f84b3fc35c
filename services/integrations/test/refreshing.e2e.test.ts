import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { refusalOf } from './started-integrations.js';
import { useWorld } from './world.js';

const world = useWorld();
/** Longer than any token of the provider lives: refreshed first, whatever there is. */
const FORCED = 86_400;

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

describe('a connection that ends while it is refreshed', () => {
  it('hands out nothing, and has tokens revoked that came too late', async () => {
    const { service, provider, database, connected } = world();
    const person = await connected();
    const { userId } = person;
    const [refresh, revocation] = [provider.hold('token'), provider.hold('revocation')];
    const vended = refusalOf(service.vend({ userId, minLifetimeS: FORCED }));
    await refresh.arrived;
    expect((await service.call(userId, 'DELETE', '/api/integrations/mailbox')).status).toBe(204);
    await revocation.arrived;
    refresh.release();
    expect(await vended).toEqual({ code: status.FAILED_PRECONDITION, reason: 'disconnected' });
    // Revoked earlier, the old refresh token would bring no new one.
    revocation.release();

    await eventually(async () => {
      const { rows } = await database.pool.query('select from provider_revocations');
      expect(rows).toEqual([]);
    });
    expect((await provider.control.calls()).revocation).toBe(2);
    expect(await provider.control.revokeAccount(person.email)).toBe(0);
  });
});
