import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { decodeDomainEvent, isDomainEventType } from '@junction/contracts';
import { eventually, undescribed } from '@junction/testing';
import { readTopics } from './read-topics.js';
import { refusalOf } from './started-integrations.js';
import { useWorld } from './world.js';

const world = useWorld();

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

describe('a session that was revoked', () => {
  it('is let in no more, and its stream ends', async () => {
    const { service, issuer, newPerson, publishDomainEvent } = world();
    const { userId } = newPerson();
    const sessionId = `ses_${randomUUID()}`;
    const headers = { authorization: `Bearer ${issuer.userToken(userId, { sessionId })}` };
    const list = async () => service.call(undefined, 'GET', '/api/integrations', { headers });
    expect((await list()).status).toBe(200);
    const stream = await fetch(`${service.url}/api/integrations/stream`, { headers });

    await publishDomainEvent('auth.events.v1', 'session.revoked', sessionId, {
      sessionId,
      userId,
      reason: 'logout',
      occurredAt: new Date(),
    });
    await eventually(async () => expect((await list()).status).toBe(401));
    const inASecond = AbortSignal.timeout(1_000);
    await Promise.race([stream.text(), once(inASecond, 'abort')]);
    expect(inASecond.aborted).toBe(false);
  });
});

describe('the topics', () => {
  it('tell the life of a connection in order, webhooks what they may name, and no secret', async () => {
    const { service, connected } = world();
    const person = await connected();
    const { userId } = person;
    await service.vend({ userId, minLifetimeS: 86_400 });
    await service.call(userId, 'DELETE', '/api/integrations/mailbox');

    const notices: { type: string; data: unknown }[] = [];
    const told: { type: string; sequence: string | undefined; value: object }[] = [];
    const seen = new Set<string>();
    const topics = ['integrations.events.v1', 'user.events.v1'];
    const subscription = readTopics(world(), topics, ({ topic, headers, value }, place) => {
      const type = headers['ce_type'] ?? '';
      if (headers['ce_subject'] !== userId || seen.has(place) || !value) return;
      seen.add(place);
      if (topic.endsWith('user.events.v1')) {
        notices.push({ type, data: JSON.parse(value.toString()) });
        return;
      }
      if (!isDomainEventType(type)) throw new Error(`${type} is no public event.`);
      const sequence = headers['ce_sequence'];
      told.push({ type, sequence, value: decodeDomainEvent(type, value) });
    });
    try {
      await eventually(() => expect([told.length, notices.length]).toEqual([2, 2]), {
        deadlineMs: 45_000,
      });
    } finally {
      await subscription.stop();
    }
    const about = {
      userId,
      identityProvider: 'acme',
      provider: 'mailbox',
      connectionId: expect.stringMatching(/^con_/),
      occurredAt: expect.any(Date),
    };
    const scopes = ['mailbox.readonly', 'mailbox.send', 'mailbox.modify'];
    const token = { ...about, scopes, expiresAt: expect.any(Date) };
    expect(told).toEqual([
      { type: 'integration.connected', sequence: '1', value: { ...token, credentialVersion: 1 } },
      { type: 'integration.disconnected', sequence: '2', value: { ...about, reason: 'user' } },
    ]);
    const notice = {
      provider: 'mailbox',
      integration_id: expect.stringMatching(/^con_/),
      identity_provider: 'acme',
      account: person.email,
      occurred_at: expect.any(String),
    };
    expect(notices).toEqual([
      { type: 'integration.connected', data: notice },
      { type: 'integration.disconnected', data: { ...notice, reason: 'user' } },
    ]);
    expect(JSON.stringify(told)).not.toContain(person.email);
  });
});
