import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ServiceError } from '@grpc/grpc-js';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@junction/messaging';
import { eventually, type ServiceAnswer } from '@junction/testing';
import { readTopics } from '@junction/testing/stage';
import type { Pool } from 'pg';
import { CLIENT_SECRET } from './faulty-provider.js';
import { countIn, formsOf } from './secret-forms.js';
import { type Consent, type Person, useWorld } from './world.js';

const world = useWorld({ LOG_LEVEL: 'debug' });
const FORCED = 86_400;
const PATH = '/api/integrations/mailbox';
const LIFE_MS = 150_000;
/** Number of users, more than meet a fault: a provider that fails too often is given a rest. */
const PEOPLE = 24;
const REFUSALS = [
  'invalid_state',
  'invalid_auth_code',
  'provider_unavailable',
  'invalid_audience',
  'reconnect_required',
  'not_connected',
];

const secrets = new Set([CLIENT_SECRET]);
/** Answers that callers got without tokens: errors, and answers that hold no secret. */
const told: string[] = [];
const places = { database: '', topics: '', logs: '', metrics: '' };
let ada: Person;

beforeAll(async () => {
  const { newPerson, connected, database, service, provider } = world();
  ada = newPerson();
  const people = await Promise.all(Array.from({ length: PEOPLE }, async () => connected()));
  const next = () => {
    const person = people.pop();
    if (person === undefined) throw new Error('There are too few people.');
    return person;
  };
  await connectRightlyAndWrongly();
  await beRevoked(next());
  await beReported(next());
  await connectAnotherAccount(next());
  for (const faulty of ODD_ANSWERS) await meetOddAnswers(next(), faulty);
  const gone = [await beDisconnected(next()), await beDeleted(next())];

  places.topics = await topicsOnce(gone.map(({ userId }) => userId));
  places.metrics = await (await fetch(`${service.url}/internal/metrics`)).text();
  await service.end('SIGTERM');
  places.logs = service.logs();
  places.database = await dumpOf(database.pool);
  for (const secret of provider.overheard()) secrets.add(secret);
}, LIFE_MS);

describe('after a life of right and wrong answers', () => {
  it('there is something to be found, and it would be found', () => {
    expect(secrets.size).toBeGreaterThan(80);
    for (const secret of secrets) {
      for (const form of formsOf(secret)) expect(countIn(`a ${form} b`, [secret])).toBe(1);
      for (const before of ['', 'x', 'xy']) {
        const wrapped = Buffer.from(`${before}${secret}z`);
        expect(countIn(wrapped.toString('base64'), [secret])).toBe(1);
        expect(countIn(wrapped.toString('base64url'), [secret])).toBe(1);
      }
    }
  });

  it.each([
    ['database', 'public.credentials: '],
    ['topics', 'integration.revoked'],
    ['logs', 'refresh failed'],
    ['metrics', 'junction_token_refreshes_total'],
  ] as const)(
    'no code, token, verifier, state or client secret stands in the %s',
    (place, sign) => {
      // toContain would print the whole text.
      expect(places[place].includes(sign)).toBe(true);
      expect(countIn(places[place], secrets)).toBe(0);
    },
  );

  it('nor does any answer to a caller, over HTTP or gRPC', () => {
    const all = told.join('\n');
    expect(REFUSALS.filter((refusal) => !all.includes(refusal))).toEqual([]);
    expect(countIn(all, secrets)).toBe(0);
  });

  it('the account of a user stands in clear in its row and in what is told its user, and nowhere else', () => {
    expect(places.database.split(ada.email)).toHaveLength(3);
    const notices = (line: string) => line.startsWith(`${world().broker.prefix}user.events.v1/`);
    const topics = places.topics.split('\n').filter((line) => !notices(line));
    expect(topics.length).toBeGreaterThan(0);
    const elsewhere = [places.logs, ...topics, places.metrics].join('\n');
    expect(elsewhere.includes(ada.email)).toBe(false);
  });
});

const hear = (answer: ServiceAnswer): ServiceAnswer => {
  told.push(JSON.stringify([answer.status, [...answer.headers], answer.body]));
  return answer;
};

/** Makes a gRPC call and keeps its error, with all that comes along. */
const hearRefusal = async (call: Promise<unknown>): Promise<void> => {
  await call.catch(({ code, message, details, metadata }: ServiceError) => {
    const sent = Object.values(metadata.toHttp2Headers()).flat().join(' ');
    told.push([code, message, details, sent].join(' '));
    const bytes = metadata.get('grpc-status-details-bin').map(String);
    told.push(...bytes);
  });
};

const vend = async ({ userId }: Person, minLifetimeS = FORCED) =>
  hearRefusal(world().service.vend({ userId, minLifetimeS }));

const consented = async (person: Person): Promise<Consent> => {
  const consent = await world().consent(person);
  secrets.add(consent.code).add(consent.state);
  return consent;
};

async function connectRightlyAndWrongly(): Promise<void> {
  const { service, postCode } = world();
  const { code: auth_code, state } = await consented(ada);
  hear(await postCode(ada, { auth_code, state: `${state}x` }));
  hear(await postCode(ada, { auth_code, state: [state] }));
  hear(await postCode(ada, { auth_code, state, iss: `https://${state}.example` }));
  const json = { auth_code, state };
  const headers = { 'idempotency-key': randomUUID() };
  const connect = await service.call(ada.userId, 'POST', `${PATH}/connect`, { json, headers });
  expect(hear(connect).status).toBe(200);
  expect(hear(await postCode(ada, json)).status).toBe(200);
  expect(hear(await postCode(world().newPerson(), json)).status).toBe(400);
  await consented(ada);
  await vend(ada);
  hear(await service.call(ada.userId, 'GET', `${PATH}/history`));
}

type Alteration = (answer: Readonly<Record<string, unknown>>) => unknown;

/** Every one shows the tokens, where it is most tempting to keep them. */
const ODD_ANSWERS: readonly Alteration[] = [
  (answer) => JSON.stringify(answer).slice(0, -1),
  (answer) => `<html><body>${JSON.stringify(answer)}</body></html>`,
  (answer) => (res: ServerResponse) => {
    const json = JSON.stringify(answer);
    res.writeHead(200, { 'content-length': json.length });
    res.write(json.slice(0, -1), () => res.destroy());
  },
  (answer) => saying(429, { error: 'slow_down', error_description: JSON.stringify(answer) }),
  (answer) => saying(401, { error: 'invalid_client', error_description: answer['refresh_token'] }),
  (answer) => saying(400, { error: answer['refresh_token'], error_uri: answer['access_token'] }),
  (answer) => saying(400, { error: 'invalid_grant', error_description: answer['refresh_token'] }),
  (answer) => ({ ...answer, id_token: answer['refresh_token'], scope: answer['access_token'] }),
];

const saying = (status: number, body: object) => (res: ServerResponse) =>
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Lets a user meet odd answers at a refresh, and then at a connect. */
async function meetOddAnswers(person: Person, faulty: Alteration): Promise<void> {
  const { service, provider, postCode } = world();
  const { code: auth_code, state } = await consented(person);
  let met = 0;
  provider.alter((answer) => {
    met += 1;
    return faulty(answer);
  });
  await vend(person);
  hear(await service.call(person.userId, 'GET', PATH));
  hear(await postCode(person, { auth_code, state }));
  expect(met).toBeGreaterThan(1);
  provider.alter();
  await vend(person, 0);
}

async function beRevoked(person: Person): Promise<void> {
  const { service, provider } = world();
  const { email, userId } = person;
  const held = [...secrets].at(-1);
  const claims = { aud: held, jti: held, events: { [String(held)]: {} } };
  const text = await provider.control.signSecurityEvent(claims);
  const headers = { 'content-type': 'application/secevent+jwt' };
  hear(
    await service.call(undefined, 'POST', '/api/integrations/acme/mailbox/security-events', {
      text,
      headers,
    }),
  );
  expect(await provider.control.happen('token-revoked', email, 'junction-mailbox')).toBe(1);
  await eventually(async () => {
    const { body } = hear(await service.call(userId, 'GET', PATH));
    expect(body).toMatchObject({ status: 'revoked' });
  });
  await vend(person);
}

async function beReported(person: Person): Promise<void> {
  const { service, provider } = world();
  const report = async (userId: string) =>
    hearRefusal(service.report({ userId, provider: 'mailbox', credentialVersion: 1 }));
  await provider.control.fail({ endpoint: 'introspection', calls: 1, status: 503 });
  await report(person.userId);
  provider.callInactive(true);
  await report(person.userId);
  provider.callInactive(false);
  await provider.control.revokeAccount(person.email);
  await vend(person);
  await report(randomUUID());
}

async function connectAnotherAccount({ userId }: Person): Promise<void> {
  const other = { userId, email: `other-${randomUUID()}@example.com` };
  const { code: auth_code, state } = await consented(other);
  const connect = await world().postCode(other, { auth_code, state });
  expect(hear(connect).status).toBe(200);
}

async function beDisconnected(person: Person): Promise<Person> {
  const { service, provider } = world();
  // The failing revocation keeps the tokens in the queue until everything is looked at.
  await provider.control.fail({ endpoint: 'revocation', calls: 100, status: 503 });
  hear(await service.call(person.userId, 'DELETE', PATH));
  await vend(person);
  return person;
}

async function beDeleted(person: Person): Promise<Person> {
  const { service, publishDomainEvent } = world();
  const { userId } = person;
  await consented(person);
  await publishDomainEvent('auth.events.v1', 'user.deleted', userId, {
    userId,
    occurredAt: new Date(),
  });
  await eventually(async () => {
    expect(hear(await service.call(userId, 'GET', PATH)).status).toBe(401);
  });
  await vend(person);
  return person;
}

/** Reads all records of all topics, as soon as these users are disconnected there, and a connection is revoked. */
async function topicsOnce(userIds: readonly string[]): Promise<string> {
  const records = new Map<string, string>();
  const disconnected = new Set<string | undefined>();
  let isRevoked = false;
  const topics = TOPICS.map(({ name }) => name);
  const subscription = readTopics(world(), topics, ({ key, headers, value }, place) => {
    const parts = [place, String(key), JSON.stringify(headers), value?.toString('latin1')];
    records.set(place, parts.join(' '));
    isRevoked ||= headers['ce_type'] === 'integration.revoked';
    if (headers['ce_type'] === 'integration.disconnected') disconnected.add(headers['ce_subject']);
  });
  try {
    await eventually(() => {
      expect(userIds.filter((userId) => !disconnected.has(userId))).toEqual([]);
      expect(isRevoked).toBe(true);
    });
  } finally {
    await subscription.stop();
  }
  return [...records.values()].join('\n');
}

/** Dumps every row of every table as text; bytes as hex. */
async function dumpOf(pool: Pool): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  expect(texts.length).toBeGreaterThan(10);
  return texts.join('\n');
}
