import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { eventually, undescribed } from '@junction/testing';
import { world } from './shared-world.js';
import { refusalOf } from './started-integrations.js';

describe('a disconnect', () => {
  it('ends the connection that was seen, and no later one', async () => {
    const { service, connected } = world();
    const person = await connected();
    const { userId } = person;
    const path = '/api/integrations/mailbox';
    const seen = (await service.call(userId, 'GET', path)).headers.get('etag') ?? '';
    await connected(person);
    const ending = (tag: string) =>
      service.call(userId, 'DELETE', path, { headers: { 'if-match': tag } });
    expect(await ending(seen)).toMatchObject({
      status: 412,
      body: { code: 'precondition_failed' },
    });
    const current = (await service.call(userId, 'GET', path)).headers.get('etag') ?? '';
    expect((await ending(current)).status).toBe(204);
    expect((await ending(current)).status).toBe(204);
  });

  it('ends a connect under way, and what that got is revoked', async () => {
    const { service, provider, database, newPerson, consent, postCode } = world();
    const person = newPerson();
    const { userId } = person;
    const { code: auth_code } = await consent(person);
    const exchange = provider.hold();
    const connecting = postCode(person, { auth_code });
    await exchange.arrived;
    const path = '/api/integrations/mailbox';
    expect((await service.call(userId, 'DELETE', path)).status).toBe(204);
    exchange.release();
    expect(await connecting).toMatchObject({ status: 409, body: { code: 'disconnected' } });
    expect((await service.call(userId, 'GET', path)).body).toMatchObject({ connected: false });
    // Only this user's revocations count: those of other tests may be queued at the same time.
    await eventually(async () => {
      const queued = 'select from provider_revocations where user_id = $1';
      expect((await database.pool.query(queued, [userId])).rows).toEqual([]);
    });
    expect(await provider.control.revokeAccount(person.email)).toBe(0);
  });

  it('holds at once, again, and alone, though the provider is down, and is done there later', async () => {
    const { service, provider, database, connected } = world();
    const person = await connected(await connected(), 'calendar');
    const { userId } = person;
    const view = async () => (await service.call(userId, 'GET', '/api/integrations')).body;
    await provider.hangUp();
    try {
      for (let time = 1; time <= 2; time++) {
        const answer = await service.call(userId, 'DELETE', '/api/integrations/mailbox');
        expect(answer.status).toBe(204);
        expect(await refusalOf(service.vend({ userId }))).toMatchObject({ reason: 'disconnected' });
      }
      expect(await view()).toMatchObject({
        integrations: [
          { provider: 'mailbox', status: 'disconnected', provider_revocation: 'pending' },
          { provider: 'calendar', status: 'active' },
        ],
      });
    } finally {
      await provider.answerAgain();
    }
    const { rows } = await database.pool.query<{ provider: string; destroyed: boolean }>(
      `select provider, destroyed_at is not null as destroyed from data_keys k
         join connections c on k.subject = c.connection_id || '#1' where c.user_id = $1 order by 1`,
      [userId],
    );
    expect(rows).toEqual([
      { provider: 'calendar', destroyed: false },
      { provider: 'mailbox', destroyed: true },
    ]);
    await eventually(
      async () =>
        expect(await view()).toMatchObject({ integrations: [{ provider_revocation: 'done' }, {}] }),
      { deadlineMs: 45_000 },
    );
    expect(await provider.control.revokeAccount(person.email, 'junction-mailbox')).toBe(0);
    expect((await service.vend({ userId, provider: 'calendar' })).credentialVersion).toBe(1);
  });
});

describe('an answer to a revocation', () => {
  it('that such tokens are not revoked there is read by the user, who can end it there', async () => {
    const { service, provider, connected } = world();
    const { userId, email } = await connected();
    const error = 'unsupported_token_type';
    await provider.control.fail({ endpoint: 'revocation', calls: 100, status: 400, error });
    const path = '/api/integrations/mailbox';
    expect((await service.call(userId, 'DELETE', path)).status).toBe(204);
    await eventually(async () => {
      const { body } = await service.call(userId, 'GET', path);
      expect(body).toMatchObject({ provider_revocation: 'unsupported' });
    });
    expect(await provider.control.revokeAccount(email)).toBe(1);
  });
});

describe('a revocation at the provider', () => {
  it('is noticed when the provider is asked, and only then ends the connection', async () => {
    const { service, provider, database, connected } = world();
    const [person, other] = [await connected(), await connected()];
    const askNow = async () =>
      database.pool.query(
        `update connection_checks k set due_at = now() from connections c
          where c.connection_id = k.connection_id and c.user_id = any ($1)`,
        [[person.userId, other.userId]],
      );
    await askNow();
    await eventually(async () =>
      expect((await provider.control.calls()).introspection).toBeGreaterThan(1),
    );
    await service.vend({ userId: person.userId });
    const metrics = await (await fetch(`${service.url}/internal/metrics`)).text();
    expect(metrics).toMatch(/^junction_connection_check_delay_seconds{.*"mailbox".*} \d/m);
    expect(await undescribed(service.url, 'integrations')).toEqual([]);

    expect(await provider.control.revokeAccount(person.email)).toBe(1);
    await askNow();
    const { userId } = person;
    await eventually(async () => {
      const { body } = await service.call(userId, 'GET', '/api/integrations/mailbox');
      expect(body).toMatchObject({
        connected: false,
        status: 'revoked',
        status_reason: 'inactive',
      });
    });
    expect(await refusalOf(service.vend({ userId }))).toEqual({
      code: status.FAILED_PRECONDITION,
      reason: 'revoked',
    });
    await service.vend({ userId: other.userId });
  });
});

describe('a user who was deleted', () => {
  it('is disconnected everywhere and leaves nothing behind', async () => {
    const { service, provider, database, connected, publishDomainEvent } = world();
    const person = await connected(await connected(), 'calendar');
    const { userId } = person;
    const { rows: connections } = await database.pool.query<{ connection_id: string }>(
      'select connection_id from connections where user_id = $1',
      [userId],
    );
    expect(connections).toHaveLength(2);
    await service.call(userId, 'GET', '/api/integrations/mailbox/authorize');
    await publishDomainEvent('auth.events.v1', 'user.deleted', userId, {
      userId,
      occurredAt: new Date(),
    });

    await eventually(async () => {
      expect(await refusalOf(service.vend({ userId }))).toEqual({
        code: status.NOT_FOUND,
        reason: 'not_connected',
      });
    });
    for (const table of ['connections', 'pending_authorizations']) {
      const { rows } = await database.pool.query(`select from ${table} where user_id = $1`, [
        userId,
      ]);
      expect(rows).toEqual([]);
    }
    const { rows } = await database.pool.query('select wrapped from data_keys where subject = $1', [
      userId,
    ]);
    expect(rows).toEqual([{ wrapped: null }]);
    expect((await service.call(userId, 'GET', '/api/integrations')).status).toBe(401);

    // Only these connections' revocations count: those of other tests may be queued at the same time.
    await eventually(async () => {
      const { rows: queued } = await database.pool.query(
        'select from provider_revocations where connection_id = any ($1)',
        [connections.map(({ connection_id }) => connection_id)],
      );
      expect(queued).toEqual([]);
    });
    expect(await provider.control.revokeAccount(person.email)).toBe(0);
  });
});
