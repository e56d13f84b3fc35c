import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { refusalOf } from './started-integrations.js';
import { type Person, useWorld } from './world.js';

const world = useWorld();
const PATH = '/api/integrations/mailbox';

describe('a connection whose stored tokens were changed', () => {
  it.each(['bits', 'key', 'row'] as const)(
    '(%s) can be disconnected, and says that nobody could revoke them',
    async (what) => {
      const { service, person } = await tampered(what);
      expect((await service.call(person.userId, 'DELETE', PATH)).status).toBe(204);
      expect(await refusalOf(service.vend(person))).toMatchObject({ reason: 'disconnected' });
      expect(await viewOf(person)).toMatchObject({
        status: 'disconnected',
        provider_revocation: 'failed',
      });
      expect(await leftOf(person)).toMatchObject([{ credentials: 0, queued: 0 }]);
      // Said once: to disconnect again is no news.
      expect((await service.call(person.userId, 'DELETE', PATH)).status).toBe(204);
      const { body } = await service.call(person.userId, 'GET', `${PATH}/history`);
      expect(body).toMatchObject({
        items: [
          {
            type: 'integration.revocation_settled',
            detail: expect.stringContaining('in your account there'),
          },
          { type: 'integration.disconnected' },
          { type: 'integration.connected' },
        ],
      });
    },
  );

  it('can be connected again', async () => {
    const { service, person } = await tampered();
    await world().connected(person);
    expect((await service.vend(person)).credentialVersion).toBe(2);
    expect(await leftOf(person)).toEqual([{ credentials: 1, queued: 0, keys: 1 }]);
  });

  it('goes with its user', async () => {
    const { service, person } = await tampered();
    const { userId } = person;
    const { publishDomainEvent, database } = world();
    const deleted = { userId, occurredAt: new Date() };
    await publishDomainEvent('auth.events.v1', 'user.deleted', userId, deleted);
    await eventually(async () => {
      expect(await refusalOf(service.vend(person))).toMatchObject({ reason: 'not_connected' });
    });
    const { rows } = await database.pool.query('select from dead_letters where user_id = $1', [
      userId,
    ]);
    expect(rows).toEqual([]);
  });

  it('waits for its user as soon as it is to be refreshed, and harms no other', async () => {
    const { service, person, other } = await tampered();
    await world().database.pool.query(
      `update credentials set refresh_at = now() where connection_id in (
         select connection_id from connections where user_id = any ($1))`,
      [[person.userId, other.userId]],
    );
    await eventually(async () => {
      expect(await viewOf(person)).toMatchObject({
        status: 'reconnect_required',
        status_reason: 'refresh_token_unreadable',
      });
      expect((await service.vend(other)).credentialVersion).toBe(2);
    });
    expect(await refusalOf(service.vend(person))).toMatchObject({ reason: 'reconnect_required' });
    expect(await leftOf(person)).toEqual([{ credentials: 0, queued: 0, keys: 0 }]);
  });
});

const flipped = (column: string) =>
  `${column} = set_byte(${column}, length(${column}) - 1, get_byte(${column}, length(${column}) - 1) # 1)`;
const OF_USER = '(select connection_id from connections where user_id = $1)';
/** What can have become of stored tokens: a bit of each flipped, their key destroyed, or all of it gone. */
const CHANGES = {
  bits: `update credentials set ${flipped('access_token')}, ${flipped('refresh_token')}
          where connection_id in ${OF_USER}`,
  key: `update data_keys set wrapped = null, key_id = null, destroyed_at = now()
         where subject in (select key_subject from credentials where connection_id in ${OF_USER})`,
  row: `delete from credentials where connection_id in ${OF_USER}`,
};

/** Two connections, the first with tokens that were changed. */
async function tampered(change: keyof typeof CHANGES = 'bits') {
  const { service, database, connected } = world();
  const [person, other] = [await connected(), await connected()];
  await database.pool.query(CHANGES[change], [person.userId]);
  return { service, person, other };
}

const viewOf = async ({ userId }: Person) => (await world().service.call(userId, 'GET', PATH)).body;

/** Of a person: how many tokens lie here, how many are still to be revoked, and how many keys are left. */
async function leftOf({ userId }: Person) {
  const { rows } = await world().database.pool.query(
    `select count(k.connection_id)::int as credentials, count(r.connection_id)::int as queued,
            (select count(*)::int from data_keys where subject like min(c.connection_id) || '#%'
                and wrapped is not null) as keys
       from connections c
            left join credentials k using (connection_id)
            left join provider_revocations r on r.connection_id = c.connection_id
      where c.user_id = $1`,
    [userId],
  );
  return rows;
}
