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

/** Over HTTP, as a person with curl does it. Gives how many events are sent. */
const happen = async (type: string, { email }: Person, client_id?: string): Promise<unknown> => {
  const answer = await fetch(`${world().provider.issuer}/control/security-events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type, email, ...(client_id !== undefined && { client_id }) }),
  });
  return answer.json();
};

/** From now on the provider is asked about a connection because it is doubted, and for nothing else. */
const stopSweeping = async () =>
  world().database.pool.query(`update connection_checks set due_at = now() + interval '1 hour'`);

const wasAskedAbout = async ({ userId }: Person): Promise<void> => {
  const { rows } = await world().database.pool.query(
    `select from connection_checks join connections using (connection_id)
      where user_id = $1 and not doubted and due_at < now() + interval '30 minutes'`,
    [userId],
  );
  expect(rows).toHaveLength(1);
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
    provider.control.reset();
    expect(await happen(type, person, CLIENT)).toEqual({ sent: 1 });

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
    expect(provider.control.calls()).toEqual({ token: 0, introspection: 0, revocation: revoked });
    expect(provider.control.revokeAccount(person.email, CLIENT)).toBe(0);
    // One account at one client, and nothing beside it.
    expect((await service.vend({ userId, provider: 'calendar' })).credentialVersion).toBe(1);
    expect((await service.vend({ userId: other.userId })).credentialVersion).toBe(1);
  });
});

describe('a security event after which tokens may be good or not', () => {
  const DOUBTS: readonly SecurityEventType[] = ['session-revoked', 'credential-change'];

  it.each(DOUBTS)('%s has the provider asked, and a connection stays that stands', async (type) => {
    const { service, provider, connected } = world();
    const person = await connected();
    await stopSweeping();
    expect(await happen(type, person)).toEqual({ sent: 1 });

    await eventually(async () => wasAskedAbout(person));
    expect(provider.control.calls().introspection).toBeGreaterThan(0);
    expect(await viewOf(person)).toMatchObject({ connected: true, status: 'active' });
    expect((await service.vend({ userId: person.userId })).credentialVersion).toBe(1);
  });

  it.each(DOUBTS)('%s ends a connection whose tokens ended with it', async (type) => {
    const { service, provider, connected } = world();
    const [person, other] = [await connected(), await connected()];
    await stopSweeping();
    expect(provider.control.revokeAccount(person.email)).toBe(1);
    expect(await viewOf(person)).toMatchObject({ status: 'active' });
    expect(await happen(type, person, CLIENT)).toEqual({ sent: 1 });

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
