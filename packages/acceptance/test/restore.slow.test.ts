import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceError } from '@grpc/grpc-js';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Person, signUp, worker } from '@junction/demo';
import { apiAt, type Call, eventually } from '@junction/testing';
import type { Replicated } from '../src/rolling/replicas.js';
import { type UnderLoad, underLoad } from '../src/rolling/under-load.js';
import { baseBackup } from './base-backup.js';
import { credentialsOf, endAll, type Key, newKey, signInAgain } from './key-and-session.js';
import { mustReconnect } from './must-reconnect.js';

const MINUTE = 60_000;
/** Longer than any token lives, so that vending refreshes the token. */
const REFRESHED = { minLifetimeS: 86_400 };
/** Milliseconds of load after the backup, which the backup does not hold. */
const LOST_MS = 3_000;
/**
 * Milliseconds before the backup within which a published event may be on its way: the backup has no delivery of
 * it.
 */
const UNDER_WAY_MS = 5_000;
const ENDED = { key: 401, session: 401, connection: 'FAILED_PRECONDITION' };

let result: UnderLoad<Facts>;

beforeAll(async () => {
  result = await underLoad(process.env, drill);
}, 12 * MINUTE);

describe('after a backup that was made under load is restored, all three databases lost', () => {
  it('everything that was acknowledged before the backup is there', () => {
    expect(result.result.before).toEqual({ login: 200, webhook: 200, key: 200, token: 'given' });
  });

  it('sessions, keys and connections that ended before the backup stay ended', () => {
    expect(result.result.endedBefore).toEqual(ENDED);
  });

  it('sessions, keys and connections that ended after the backup are ended again, because Kafka has their ends', () => {
    expect(result.result.endedAfter).toEqual({ ...ENDED, refresh: 401, login: 401 });
  });

  it('no event is lost, before the backup or after it: Kafka has them, and they are taken in again', () => {
    const { published, delivered } = result.events;
    expect(published).toBeGreaterThan(50);
    expect(delivered).toBe(published);
  });

  it('nothing that was delivered before the backup is delivered again', () => {
    const { events, tally, result: facts } = result;
    const sinceMs = facts.backedUpAtMs - UNDER_WAY_MS;
    const since = [...tally.published.values()].filter((atMs) => atMs > sinceMs);
    expect(events.duplicated).toBeLessThanOrEqual(since.length);
    expect(since.length).toBeLessThan(events.published);
  });

  it('a connection whose refresh token moved on is found, and its user is asked to connect again', () => {
    const { token, status, listed } = result.result.movedOn;
    expect(token).toBe('FAILED_PRECONDITION');
    expect(listed).toContain(result.result.movedOn.userId);
    // A provider that takes the second use of a refresh token for a theft revokes the whole grant.
    expect(['reconnect_required', 'revoked']).toContain(status);
  });

  it('services go on by themselves', () => {
    expect(result.result.after).toEqual({ webhook: 201 });
  });
});

interface Facts {
  readonly before: object;
  readonly endedBefore: object;
  readonly endedAfter: object;
  readonly backedUpAtMs: number;
  readonly movedOn: {
    readonly userId: string;
    readonly token: string;
    readonly status: string;
    /** Ids of the users that the query of docs/runbooks/restore.md finds. */
    readonly listed: readonly string[];
  };
  readonly after: object;
}

/**
 * Gives people things and takes some away, backs up, goes on working, and then loses all databases and restores
 * them.
 */
async function drill(product: Replicated): Promise<Facts> {
  const api = apiAt(product.endpoints.gateway);
  const tokens = worker(product.endpoints);
  const vend = async ({ id: userId }: Person, more = {}) =>
    tokens.get({ userId, provider: 'mailbox', ...more }).then(
      () => 'given',
      ({ message, cause }: Error) =>
        GRPC[(cause as ServiceError | undefined)?.code ?? 0] ?? message,
    );
  const people: Person[] = [];
  while (people.length < 5) people.push(await signUp(api));
  const [ada, bob, carla, dan, erin] = people as [Person, Person, Person, Person, Person];
  for (const person of [ada, bob, carla, dan]) await connect(person, 'mailbox');
  const webhook = { url: 'https://hooks.example.com/in', events: ['draft.created'], enabled: true };
  const configured = await ada.call('POST', '/api/webhooks/configure', { json: webhook });
  const { webhook_id: webhookId } = configured.body as { webhook_id: string };
  const kept = await newKey(ada);
  const [keyOfCarla, keyOfDan] = [await newKey(carla), await newKey(dan)];
  await endAll(api, carla, keyOfCarla);
  // Events of the load must be older than an event that may be under way.
  await sleep(UNDER_WAY_MS);

  const backedUpAtMs = Date.now();
  const backup = await baseBackup(product.adminUrl);
  try {
    expect(await vend(bob, REFRESHED)).toBe('given');
    await endAll(api, dan, keyOfDan);
    await erin.call('DELETE', '/api/auth/me', { json: { password: erin.password } });
    await sleep(LOST_MS);
    await product.disaster(async () => backup.restore());
  } finally {
    backup.remove();
  }

  const login = await api('POST', '/api/auth/login', { json: credentialsOf(ada) });
  const { access_token: token = '' } = login.body as Record<string, string>;
  const ask = async (method: string, path: string, by = token) =>
    (await api(method, path, { token: by })).status;
  const stateOf = async (person: Person, { key }: Key) => ({
    key: await ask('GET', '/api/auth/me', key),
    session: await ask('GET', '/api/auth/me', person.token),
    connection: await vend(person),
  });
  const loginOf = async (person: Person) =>
    (await api('POST', '/api/auth/login', { json: credentialsOf(person) })).status;
  const movedOn = await vend(bob, REFRESHED);
  const facts = {
    before: {
      login: login.status,
      webhook: await ask('GET', `/api/webhooks/${webhookId}`),
      key: await ask('GET', '/api/webhooks', kept.key),
      token: await vend(ada),
    },
    endedBefore: await stateOf(carla, keyOfCarla),
    endedAfter: {
      ...(await eventually(async () => {
        const state = { ...(await stateOf(dan, keyOfDan)), login: await loginOf(erin) };
        expect(state).toEqual({ ...ENDED, login: 401 });
        return state;
      })),
      refresh: (await api('POST', '/api/auth/refresh', { json: refreshOf(dan) })).status,
    },
    backedUpAtMs,
    movedOn: {
      userId: bob.id,
      token: movedOn,
      status: await statusOf(api, bob),
      listed: await mustReconnect(product.databaseUrls, backedUpAtMs),
    },
    after: {
      webhook: (
        await api('POST', '/api/webhooks/configure', {
          token,
          json: { ...webhook, url: 'https://hooks.example.com/another' },
        })
      ).status,
    },
  };
  tokens.close();
  return facts;
}

/** https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
const GRPC: Readonly<Record<number, string>> = { 9: 'FAILED_PRECONDITION' };

const refreshOf = ({ refreshToken }: Person) => ({ refresh_token: refreshToken });

async function statusOf(api: Call, person: Person): Promise<string> {
  const call = await signInAgain(api, person);
  return eventually(async () => {
    const { body } = await call('GET', '/api/integrations/mailbox');
    return (body as { status: string }).status;
  });
}
