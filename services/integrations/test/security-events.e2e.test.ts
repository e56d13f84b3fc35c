import { createHash, randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import type { SecurityEventType } from '@junction/dev-provider';
import { eventually } from '@junction/testing';
import { refusalOf } from './started-integrations.js';
import { type Person, useWorld } from './world.js';

const world = useWorld();
const CLIENT = 'junction-mailbox';

const viewOf = async ({ userId }: Person) =>
  (await world().service.call(userId, 'GET', '/api/integrations/mailbox')).body;

/** From now on the provider is asked about a connection because it is suspected, and for nothing else. */
const stopSweeping = async () =>
  world().database.pool.query(`update connection_checks set due_at = now() + interval '1 hour'`);

/** Sends an event of the test's own making, and gives the answer. */
const push = async (text: string) =>
  world().service.call(undefined, 'POST', '/api/integrations/mailbox/security-events', {
    text,
    headers: { 'content-type': 'application/secevent+jwt' },
  });

/** Revoked tokens of a person, signed by the provider. */
const revoked = async ({ email: sub }: Person, claims: object = {}): Promise<string> => {
  const { issuer: iss, control } = world().provider;
  const sub_id = { format: 'iss_sub', iss, sub };
  const events = { 'https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked': {} };
  return control.signSecurityEvent({ aud: CLIENT, sub_id, events, ...claims });
};

const nowS = (): number => Math.floor(Date.now() / 1_000);

/** Whether the provider has answered about it since. */
const wasAskedAbout = async ({ userId }: Person): Promise<boolean> => {
  const { rows } = await world().database.pool.query(
    `select from connection_checks join connections using (connection_id)
      where user_id = $1 and not suspected and due_at < now() + interval '30 minutes'`,
    [userId],
  );
  return rows.length > 0;
};

describe('a security event that says that access has ended', () => {
  it.each<readonly [type: SecurityEventType, reason: string, revoked: number]>([
    ['tokens-revoked', 'tokens_revoked', 0],
    ['token-revoked', 'token_revoked', 0],
    // The tokens are the provider's still, so they are given back.
    ['account-disabled', 'account_disabled', 1],
  ])('%s ends the connection without a question', async (type, reason, revoked) => {
    const { service, provider, database, connected } = world();
    const person = await connected(await connected(), 'calendar');
    const other = await connected();
    await stopSweeping();
    await provider.control.reset();
    expect(await provider.control.happen(type, person.email, CLIENT)).toBe(1);

    await eventually(async () => {
      expect(await viewOf(person)).toMatchObject({
        connected: false,
        status: 'revoked',
        status_reason: reason,
      });
    });
    const { userId } = person;
    expect(await refusalOf(service.vend({ userId }))).toEqual({
      code: status.FAILED_PRECONDITION,
      reason: 'revoked',
    });
    await eventually(async () => {
      const queue = 'provider_revocations join connections using (connection_id)';
      const { rows } = await database.pool.query(`select from ${queue} where user_id = $1`, [
        userId,
      ]);
      expect(rows).toEqual([]);
    });
    expect(await provider.control.calls()).toEqual({
      token: 0,
      introspection: 0,
      revocation: revoked,
    });
    expect(await provider.control.revokeAccount(person.email, CLIENT)).toBe(0);
    // One account at one client, and nothing beside it.
    expect((await service.vend({ userId, provider: 'calendar' })).credentialVersion).toBe(1);
    expect((await service.vend({ userId: other.userId })).credentialVersion).toBe(1);
  });
});

describe('a security event after which tokens may be good or not', () => {
  const SUSPICIONS: readonly SecurityEventType[] = ['session-revoked', 'credential-change'];

  it.each(SUSPICIONS)(
    '%s has the provider asked, and a connection stays that stands',
    async (type) => {
      const { service, provider, connected } = world();
      const person = await connected();
      await stopSweeping();
      expect(await provider.control.happen(type, person.email)).toBe(1);

      await eventually(async () => expect(await wasAskedAbout(person)).toBe(true));
      expect((await provider.control.calls()).introspection).toBeGreaterThan(0);
      expect(await viewOf(person)).toMatchObject({ connected: true, status: 'active' });
      expect((await service.vend({ userId: person.userId })).credentialVersion).toBe(1);
    },
  );

  it.each(SUSPICIONS)('%s ends a connection whose tokens ended with it', async (type) => {
    const { service, provider, connected } = world();
    const [person, other] = [await connected(), await connected()];
    await stopSweeping();
    expect(await provider.control.revokeAccount(person.email)).toBe(1);
    expect(await viewOf(person)).toMatchObject({ status: 'active' });
    expect(await provider.control.happen(type, person.email, CLIENT)).toBe(1);

    await eventually(async () => {
      expect(await viewOf(person)).toMatchObject({
        connected: false,
        status: 'revoked',
        status_reason: 'inactive',
      });
    });
    expect(await refusalOf(service.vend({ userId: person.userId }))).toMatchObject({
      reason: 'revoked',
    });
    expect((await service.vend({ userId: other.userId })).credentialVersion).toBe(1);
  });
});

describe('the clock of a provider', () => {
  it('may be five minutes ahead, and not more', async () => {
    const { service, connected } = world();
    const person = await connected();
    const { userId } = person;
    // A minute more than enough, for a machine that is busy.
    expect(await push(await revoked(person, { iat: nowS() + 360 }))).toMatchObject({
      status: 400,
      body: { err: 'invalid_request', description: 'iat lies in the future.' },
    });
    expect((await service.vend({ userId })).credentialVersion).toBe(1);

    expect((await push(await revoked(person, { iat: nowS() + 300 }))).status).toBe(202);
    expect(await refusalOf(service.vend({ userId }))).toMatchObject({ reason: 'revoked' });
  });

  it.each([
    [0, 'ended'],
    [-1, 'suspected'],
    [-300, 'suspected'],
    [-301, 'none'],
  ])('is trusted so far: %i s from the connect the effect is "%s"', async (seconds, effect) => {
    const { database, connected } = world();
    const person = await connected();
    await stopSweeping();
    const { rows } = await database.pool.query<{ connected_at: Date }>(
      'select connected_at from connections where user_id = $1',
      [person.userId],
    );
    const beganS = Math.floor((rows[0]?.connected_at.getTime() ?? 0) / 1_000);
    const jti = randomUUID();
    const event = await revoked(person, { jti, iat: beganS + seconds });
    expect((await push(event)).status).toBe(202);

    const { rows: taken } = await database.pool.query(
      'select effect from security_events where jti_hash = $1',
      [createHash('sha256').update(jti).digest()],
    );
    expect(taken).toEqual([{ effect }]);
    if (effect === 'suspected') {
      await eventually(async () => expect(await wasAskedAbout(person)).toBe(true));
    } else expect(await wasAskedAbout(person)).toBe(false);
    const status = effect === 'ended' ? 'revoked' : 'active';
    expect(await viewOf(person)).toMatchObject({ status });
  });
});

describe('a provider that rotates its signing key', () => {
  /** Keys are fetched again for one that is unknown, and some seconds later at the soonest. */
  const takenInTime = async (event: string) =>
    eventually(async () => expect((await push(event)).status).toBe(202), { pollMs: 500 });
  const kidOf = (jwt: string) => {
    const header = Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString();
    return (JSON.parse(header) as { kid?: string }).kid;
  };

  it('is understood, under the key before as well for as long as that is published', async () => {
    const { service, provider, newPerson, connected } = world();
    const [first, second, third] = [await connected(), await connected(), await connected()];
    const [before, longBefore] = [await revoked(first), await revoked(third)];
    await takenInTime(await revoked(newPerson()));
    await provider.control.rotateSigningKey();
    const after = await revoked(second);
    expect(kidOf(after)).not.toBe(kidOf(before));
    await takenInTime(after);
    expect((await push(before)).status).toBe(202);
    for (const { userId } of [first, second]) {
      expect(await refusalOf(service.vend({ userId }))).toMatchObject({ reason: 'revoked' });
    }

    let idToken = '';
    provider.alter((answer) => {
      idToken = String(answer['id_token']);
      return answer;
    });
    const { userId } = await connected(first);
    expect(kidOf(idToken)).toBe(kidOf(after));
    expect((await service.vend({ userId })).credentialVersion).toBe(2);

    await provider.control.rotateSigningKey();
    await takenInTime(await revoked(newPerson()));
    // Told to come again until the keys are fetched anew, which do not hold its own any more.
    await eventually(
      async () =>
        expect(await push(longBefore)).toMatchObject({ status: 400, body: { err: 'invalid_key' } }),
      { pollMs: 500 },
    );
    expect((await service.vend({ userId: third.userId })).credentialVersion).toBe(1);
  });
});
