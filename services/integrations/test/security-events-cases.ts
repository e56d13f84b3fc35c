import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { world } from './shared-world.js';
import { refusalOf } from './started-integrations.js';
import type { Person } from './world.js';

const CLIENT = 'junction-mailbox';

const viewOf = async ({ userId }: Person) =>
  (await world().service.call(userId, 'GET', '/api/integrations/mailbox')).body;

/** Postpones the regular checks, so that the provider is asked about suspected connections alone. */
const stopSweeping = async () =>
  world().database.pool.query(`update connection_checks set due_at = now() + interval '1 hour'`);

/** Sends an event of the test's own making, and gives the answer. */
const push = async (text: string, type = 'application/secevent+jwt', name = 'mailbox') =>
  world().service.call(undefined, 'POST', `/api/integrations/acme/${name}/security-events`, {
    text,
    headers: { 'content-type': type },
  });

/** Creates an event that revokes a person's tokens, signed by the provider. */
const revoked = async ({ email: sub }: Person): Promise<string> => {
  const { issuer: iss, control } = world().provider;
  const sub_id = { format: 'iss_sub', iss, sub };
  const events = { 'https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked': {} };
  return control.signSecurityEvent({ aud: CLIENT, sub_id, events });
};

describe('a security event', () => {
  it('that says that access has ended ends one connection, without a question', async () => {
    const { service, provider, database, connected } = world();
    const person = await connected(await connected(), 'calendar');
    const other = await connected();
    await stopSweeping();
    await provider.control.reset();
    expect(await provider.control.happen('account-disabled', person.email, CLIENT)).toBe(1);

    await eventually(async () => {
      expect(await viewOf(person)).toMatchObject({
        connected: false,
        status: 'revoked',
        status_reason: 'account_disabled',
      });
    });
    const { userId } = person;
    expect(await refusalOf(service.vend({ userId }))).toEqual({
      code: status.FAILED_PRECONDITION,
      reason: 'revoked',
    });
    await eventually(async () => {
      const queue = 'provider_revocations r join connections c using (connection_id)';
      const { rows } = await database.pool.query(`select from ${queue} where c.user_id = $1`, [
        userId,
      ]);
      expect(rows).toEqual([]);
    });
    // The tokens are the provider's still, so they are given back.
    const calls = { token: 0, introspection: 0, revocation: 1 };
    expect(await provider.control.calls()).toMatchObject(calls);
    expect(await provider.control.revokeAccount(person.email, CLIENT)).toBe(0);
    // The event ended this account at this client, and nothing else.
    expect((await service.vend({ userId, provider: 'calendar' })).credentialVersion).toBe(1);
    expect((await service.vend({ userId: other.userId })).credentialVersion).toBe(1);
  });
});

describe('a pushed security event', () => {
  it('has its effect, or is refused as RFC 8935 has it, and few are taken from one network', async () => {
    const { service, connected } = world();
    const person = await connected();
    const good = await revoked(person);
    const [header, payload] = good.split('.');
    const forged = `${header}.${payload}.${Buffer.alloc(256, 1).toString('base64url')}`;
    expect(await push(forged)).toMatchObject({
      status: 400,
      body: { err: 'authentication_failed', description: expect.any(String) },
    });
    expect(await push('')).toMatchObject({ status: 400, body: { err: 'invalid_request' } });
    expect(await push('x'.repeat(65_537))).toMatchObject({ status: 413 });
    expect(await push('{}', 'application/json')).toMatchObject({ status: 415 });
    expect(await push('x', undefined, 'fax')).toMatchObject({ status: 404 });
    expect((await service.vend(person)).credentialVersion).toBe(1);

    expect(await push(good)).toMatchObject({ status: 202, body: {} });
    expect(await refusalOf(service.vend(person))).toMatchObject({ reason: 'revoked' });
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 200 }, async () => push(good)));
      expect(answers.map(({ status: of }) => of)).toContain(429);
    });
  });
});
