import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { decodeDomainEvent, isDomainEventType } from '@junction/contracts';
import { revokeInAccountPage } from '@junction/dev-provider';
import { eventually } from '@junction/testing';
import { readTopics } from './read-topics.js';
import { PROVIDERS_FILE, refusalOf, startIntegrations } from './started-integrations.js';
import { useWorld } from './world.js';

const world = useWorld();
const TOKEN_REVOKED = 'https://schemas.openid.net/secevent/oauth/event-type/token-revoked';

describe('a disconnect', () => {
  it('holds at once, here and then at the provider', async () => {
    const { service, provider, database, connected } = world();
    const person = await connected();
    const { userId } = person;
    await service.vend({ userId });

    const path = '/api/integrations/mailbox';
    expect((await service.call(userId, 'DELETE', path)).status).toBe(204);
    expect(await refusalOf(service.vend({ userId }))).toEqual({
      code: status.FAILED_PRECONDITION,
      reason: 'disconnected',
    });
    expect((await service.call(userId, 'GET', path)).body).toMatchObject({
      connected: false,
      status: 'disconnected',
      status_reason: 'user',
    });
    const { rows } = await database.pool.query<{ destroyed: boolean }>(
      `select destroyed_at is not null as destroyed from data_keys k
         join connections c on k.subject = c.connection_id || '#1' where c.user_id = $1`,
      [userId],
    );
    expect(rows).toEqual([{ destroyed: true }]);

    await eventually(async () => expect((await provider.control.calls()).revocation).toBe(1));
    expect(await provider.control.revokeAccount(person.email)).toBe(0);
    await eventually(async () => {
      const { body } = await service.call(userId, 'GET', path);
      expect(body).toMatchObject({ provider_revocation: 'done' });
    });
    expect((await service.call(userId, 'DELETE', path)).status).toBe(204);
  });

  it('is a 204 also where nothing was ever connected', async () => {
    const { service, newPerson } = world();
    const { userId } = newPerson();
    expect((await service.call(userId, 'DELETE', '/api/integrations/calendar')).status).toBe(204);
    expect((await service.call(userId, 'GET', '/api/integrations')).body).toEqual({
      integrations: [],
    });
  });

  it('is repeated at a provider that is down until it is done there', async () => {
    const { service, provider, connected } = world();
    const person = await connected();
    const view = async (method: string) =>
      (await service.call(person.userId, method, '/api/integrations/mailbox')).body;
    await provider.control.fail({ endpoint: 'revocation', calls: 1_000, status: 503 });
    await view('DELETE');
    await eventually(async () =>
      expect((await provider.control.calls()).revocation).toBeGreaterThan(1),
    );
    expect(await view('GET')).toMatchObject({ provider_revocation: 'pending' });
    await provider.control.reset();
    await eventually(
      async () => expect(await view('GET')).toMatchObject({ provider_revocation: 'done' }),
      { deadlineMs: 45_000 },
    );
    expect(await provider.control.revokeAccount(person.email)).toBe(0);
  });

  it('holds at once though nobody listens at the provider, and again', async () => {
    const { service, provider, database, connected } = world();
    const person = await connected();
    const { userId } = person;
    await provider.hangUp();
    try {
      for (let time = 1; time <= 2; time++) {
        expect((await service.call(userId, 'DELETE', '/api/integrations/mailbox')).status).toBe(
          204,
        );
        expect(await refusalOf(service.vend({ userId }))).toMatchObject({ reason: 'disconnected' });
      }
      expect(await queued(database.pool, userId)).toBe(1);
    } finally {
      await provider.answerAgain();
    }
    const patience = { deadlineMs: 45_000 };
    await eventually(async () => expect(await queued(database.pool, userId)).toBe(0), patience);
    expect(await provider.control.revokeAccount(person.email)).toBe(0);
  });

  it('is a disconnect also of access that the provider has ended before', async () => {
    const { service, provider, database, connected } = world();
    const { userId, email } = await connected();
    expect(await provider.control.revokeAccount(email)).toBe(1);
    expect((await service.call(userId, 'DELETE', '/api/integrations/mailbox')).status).toBe(204);
    await eventually(async () => expect(await queued(database.pool, userId)).toBe(0));
    const { body } = await service.call(userId, 'GET', '/api/integrations/mailbox');
    expect(body).toMatchObject({ status: 'disconnected', status_reason: 'user' });
  });

  it('leaves the other provider alone', async () => {
    const { service, provider, connected } = world();
    const person = await connected(await connected(), 'calendar');
    const { userId } = person;
    await service.call(userId, 'DELETE', '/api/integrations/mailbox');
    await eventually(async () => expect((await provider.control.calls()).revocation).toBe(1));

    const renewed = { userId, provider: 'calendar', minLifetimeS: 86_400 };
    expect((await service.vend(renewed)).credentialVersion).toBe(2);
    const { body } = await service.call(userId, 'GET', '/api/integrations');
    expect(body['integrations']).toMatchObject([
      { provider: 'mailbox', status: 'disconnected' },
      { provider: 'calendar', status: 'active' },
    ]);
  });

  it('can be followed by a new connect that continues the versions', async () => {
    const { service, connected } = world();
    const person = await connected();
    await service.call(person.userId, 'DELETE', '/api/integrations/mailbox');
    await connected(person);
    expect((await service.vend({ userId: person.userId })).credentialVersion).toBe(2);
  });
});

describe('a revocation at the provider', () => {
  it('on its account page ends the connection here, at once', async () => {
    const { service, provider, connected } = world();
    const person = await connected(await connected(), 'calendar');
    const { userId, email } = person;
    const credentials = { email, password: 'any', client: 'junction-mailbox' };
    await revokeInAccountPage(provider.issuer, credentials);
    await eventually(async () => {
      expect(await refusalOf(service.vend({ userId }))).toEqual({
        code: status.FAILED_PRECONDITION,
        reason: 'revoked',
      });
    });
    const { body } = await service.call(userId, 'GET', '/api/integrations');
    expect(body['integrations']).toMatchObject([
      { provider: 'mailbox', connected: false, status: 'revoked', status_reason: 'tokens_revoked' },
      { provider: 'calendar', connected: true, status: 'active' },
    ]);
    // Nobody was asked: it was told.
    expect((await provider.control.calls()).token).toBe(2);

    await connected(person);
    expect((await service.vend({ userId })).credentialVersion).toBe(2);
  });

  it('that it tells of by a hash of the refresh token ends the connection at once', async () => {
    const { service, provider, connected } = world();
    let held = '';
    provider.alter((answer) => {
      held = String(answer['refresh_token']);
      return answer;
    });
    const { userId } = await connected();
    const push = async (refreshToken: string) => {
      const sha512 = (bytes: Buffer | string) => createHash('sha512').update(bytes).digest();
      const token = sha512(sha512(refreshToken)).toString('base64');
      const alg = { token_identifier_alg: 'hash_base64_sha512_sha512' };
      const subject = { subject_type: 'oauth_token', token_type: 'refresh_token', ...alg, token };
      const claims = { aud: 'junction-mailbox', events: { [TOKEN_REVOKED]: { subject } } };
      const text = await provider.control.signSecurityEvent(claims);
      const headers = { 'content-type': 'application/secevent+jwt' };
      const address = '/api/integrations/mailbox/security-events';
      return (await service.call(undefined, 'POST', address, { text, headers })).status;
    };
    expect(await push(`${held}x`)).toBe(202);
    expect((await service.vend({ userId })).credentialVersion).toBe(1);
    expect(await push(held)).toBe(202);
    expect(await refusalOf(service.vend({ userId }))).toMatchObject({ reason: 'revoked' });
    const { body } = await service.call(userId, 'GET', '/api/integrations/mailbox');
    expect(body).toMatchObject({ status: 'revoked', status_reason: 'token_revoked' });
  });

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

describe('a security event that is not good', () => {
  const REVOKED = 'https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked';

  it('is refused as RFC 8935 has it, and has no effect', async () => {
    const { service, provider, connected } = world();
    const { userId, email: sub } = await connected();
    const sub_id = { format: 'iss_sub', iss: provider.issuer, sub };
    const claims = { aud: 'junction-mailbox', sub_id, events: { [REVOKED]: {} } };
    const push = async (text: string, type = 'application/secevent+jwt', name = 'mailbox') =>
      service.call(undefined, 'POST', `/api/integrations/${name}/security-events`, {
        text,
        headers: { 'content-type': type },
      });
    const refused = (err: string) => ({
      status: 400,
      body: { err, description: expect.any(String) },
    });

    const sign = provider.control.signSecurityEvent;
    const good = await sign({ ...claims, iat: 1_700_000_000, events: {} });
    expect(await push(good)).toMatchObject(refused('invalid_request'));
    const [header, payload] = (await sign(claims)).split('.');
    const forged = `${header}.${payload}.${Buffer.alloc(256, 1).toString('base64url')}`;
    expect(await push(forged)).toMatchObject(refused('authentication_failed'));
    expect(await push(await sign(claims, { typ: 'at+jwt' }))).toMatchObject(
      refused('invalid_request'),
    );
    expect(await push(await sign({ ...claims, aud: 'junction-calendar' }))).toMatchObject(
      refused('invalid_audience'),
    );
    expect(await push(await sign({ ...claims, iss: 'http://localhost:1' }))).toMatchObject(
      refused('invalid_issuer'),
    );
    expect(await push('x'.repeat(65_537))).toMatchObject({ status: 413 });
    expect(await push('{}', 'application/json')).toMatchObject({ status: 415 });
    expect(await push('')).toMatchObject(refused('invalid_request'));
    expect(await push('x', undefined, 'fax')).toMatchObject({ status: 404 });

    const old = Math.floor(Date.now() / 1_000) - 600;
    expect(await push(await sign({ ...claims, iat: old }))).toMatchObject({ status: 202 });
    expect((await service.vend({ userId })).credentialVersion).toBe(1);

    const real = await sign(claims);
    expect(await push(real)).toMatchObject({ status: 202, body: {} });
    expect(await refusalOf(service.vend({ userId }))).toMatchObject({ reason: 'revoked' });
  });

  it('counts once, and few are taken from one network', async () => {
    const { service, provider, connected } = world();
    const person = await connected();
    const { userId, email: sub } = person;
    const sub_id = { format: 'iss_sub', iss: provider.issuer, sub };
    // By a clock that is ahead, so that its time alone would not save the next connection.
    const iat = Math.floor(Date.now() / 1_000) + 120;
    const token = await provider.control.signSecurityEvent({
      aud: 'junction-mailbox',
      iat,
      sub_id,
      events: { [REVOKED]: {} },
    });
    const push = async () =>
      service.call(undefined, 'POST', '/api/integrations/mailbox/security-events', {
        text: token,
        headers: { 'content-type': 'application/secevent+jwt' },
      });
    expect((await push()).status).toBe(202);
    expect(await refusalOf(service.vend({ userId }))).toMatchObject({ reason: 'revoked' });
    await connected(person);
    expect((await push()).status).toBe(202);
    expect((await service.vend({ userId })).credentialVersion).toBe(2);

    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 60 }, push));
      expect(answers.map(({ status: of }) => of)).toContain(429);
    });
  });
});

describe('a provider that is not set up any more', () => {
  it('can be disconnected all the same', async () => {
    const { service, surroundings, connected } = world();
    const { userId } = await connected(undefined, 'calendar');
    const folder = await mkdtemp(path.join(tmpdir(), 'providers-'));
    const file = path.join(folder, 'providers.yaml');
    const yaml = await readFile(PROVIDERS_FILE, 'utf8');
    await writeFile(file, yaml.slice(0, yaml.indexOf('  calendar:')));
    const without = await startIntegrations(surroundings, { PROVIDERS_FILE: file });
    try {
      const call = (method: string, rest = '') =>
        without.call(userId, method, `/api/integrations/calendar${rest}`);
      expect(await call('GET', '/authorize')).toMatchObject({
        status: 404,
        body: { code: 'unknown_provider' },
      });
      expect(await call('GET')).toMatchObject({ status: 200, body: { connected: true } });
      expect((await call('DELETE')).status).toBe(204);
    } finally {
      await without.end('SIGTERM');
      await rm(folder, { recursive: true });
    }
    expect(await refusalOf(service.vend({ userId, provider: 'calendar' }))).toMatchObject({
      reason: 'disconnected',
    });
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

    // Theirs alone: what another test gave up may be revoked at the same time.
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
  it('is let in no more', async () => {
    const { service, issuer, newPerson, publishDomainEvent } = world();
    const { userId } = newPerson();
    const sessionId = `ses_${randomUUID()}`;
    const headers = { authorization: `Bearer ${issuer.userToken(userId, { sessionId })}` };
    const list = async () => service.call(undefined, 'GET', '/api/integrations', { headers });
    expect((await list()).status).toBe(200);

    await publishDomainEvent('auth.events.v1', 'session.revoked', sessionId, {
      sessionId,
      userId,
      reason: 'logout',
      occurredAt: new Date(),
    });
    await eventually(async () => expect((await list()).status).toBe(401));
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
    const notice = { provider: 'mailbox', occurred_at: expect.any(String) };
    expect(notices).toEqual([
      { type: 'integration.connected', data: notice },
      { type: 'integration.disconnected', data: { ...notice, reason: 'user' } },
    ]);
    expect(JSON.stringify([told, notices])).not.toContain(person.email);
  });
});

/** How many tokens of this user are still to be revoked at the provider. */
async function queued(
  pool: { query(text: string, values: unknown[]): Promise<{ rowCount: number | null }> },
  userId: string,
): Promise<number | null> {
  const { rowCount } = await pool.query(
    `select from provider_revocations join connections using (connection_id) where user_id = $1`,
    [userId],
  );
  return rowCount;
}
