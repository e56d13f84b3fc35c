import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { apiAt, type Call, worker } from '../src/index.js';
import { connect, type Person, signUp } from '../src/person.js';
import type { Replicated } from '../src/rolling/replicas.js';
import { type UnderLoad, underLoad } from '../src/rolling/under-load.js';
import { baseBackup } from './base-backup.js';

const MINUTE = 60_000;
/** More than any token has: it is refreshed. */
const REFRESHED = { minLifetimeS: 86_400 };
/** What the backup does not know. */
const LOST_MS = 3_000;

let result: UnderLoad<Facts>;

beforeAll(async () => {
  result = await underLoad(process.env, drill);
}, 12 * MINUTE);

describe('after a backup that was made under load is restored, all three databases lost', () => {
  it('everything that was acknowledged before the backup is there', () => {
    expect(result.result.before).toEqual({ login: 200, webhook: 200, key: 200, token: 'given' });
  });

  it('what was revoked before the backup stays revoked', () => {
    expect(result.result.revoked).toEqual({
      key: 401,
      session: 401,
      connection: 'FAILED_PRECONDITION',
    });
  });

  it('no event is lost, before the backup or after it: Kafka has them, and they are taken in again', () => {
    const { published, delivered } = result.events;
    expect(published).toBeGreaterThan(50);
    expect(delivered).toBe(published);
  });

  it('a connection whose refresh token moved on is found, and its user is asked to connect again', () => {
    const { token, status } = result.result.movedOn;
    expect(token).toBe('FAILED_PRECONDITION');
    // Of a provider that takes the second use of a token for a theft the whole grant is gone.
    expect(['reconnect_required', 'revoked']).toContain(status);
  });

  it('services go on by themselves', () => {
    expect(result.result.after).toEqual({ webhook: 201 });
  });
});

interface Facts {
  readonly before: object;
  readonly revoked: object;
  readonly movedOn: { readonly token: string; readonly status: string };
  readonly after: object;
}

/** What people have and lose before the backup; then a backup, more work, and the loss of all of it. */
async function drill(product: Replicated): Promise<Facts> {
  const api = apiAt(product.endpoints.gateway);
  const tokens = await worker(product.endpoints);
  const vend = async ({ id: userId }: Person, more = {}) =>
    tokens.vend({ userId, provider: 'mailbox', ...more }).then(
      () => 'given',
      (error: Error & { code?: number }) => GRPC[error.code ?? 0] ?? error.message,
    );
  const [ada, bob, carla] = [await signUp(api), await signUp(api), await signUp(api)];
  for (const person of [ada, bob, carla]) await connect(person, 'mailbox');
  const webhook = { url: 'https://hooks.example.com/in', events: ['draft.created'], enabled: true };
  const configured = await ada.call('POST', '/api/webhooks/configure', { json: webhook });
  const { webhook_id: webhookId } = configured.body as { webhook_id: string };
  const kept = await newKey(ada);
  const revoked = await newKey(ada);
  await ada.call('DELETE', `/api/auth/api-keys/${revoked.id}`);
  await api('POST', '/api/auth/logout', { token: carla.token, json: {} });
  const ended = await signInAgain(api, carla);
  await ended('DELETE', '/api/integrations/mailbox');

  const backup = await baseBackup(product.adminUrl);
  try {
    expect(await vend(bob, REFRESHED)).toBe('given');
    await sleep(LOST_MS);
    await product.disaster(async () => backup.restore());
  } finally {
    backup.remove();
  }

  const login = await api('POST', '/api/auth/login', { json: credentialsOf(ada) });
  const { access_token: token = '' } = login.body as Record<string, string>;
  const ask = async (method: string, path: string, by = token) =>
    (await api(method, path, { token: by })).status;
  const refreshed = { refresh_token: carla.refreshToken };
  const movedOn = await vend(bob, REFRESHED);
  const facts = {
    before: {
      login: login.status,
      webhook: await ask('GET', `/api/webhooks/${webhookId}`),
      key: await ask('GET', '/api/webhooks', kept.key),
      token: await vend(ada),
    },
    revoked: {
      key: await ask('GET', '/api/webhooks', revoked.key),
      session: (await api('POST', '/api/auth/refresh', { json: refreshed })).status,
      connection: await vend(carla),
    },
    movedOn: { token: movedOn, status: await statusOf(api, bob) },
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

const credentialsOf = ({ email, password }: Person) => ({ email, password });

async function signInAgain(api: Call, person: Person): Promise<Call> {
  const { body } = await api('POST', '/api/auth/login', { json: credentialsOf(person) });
  const { access_token: token } = body as Record<string, string>;
  return (method, path, options) => api(method, path, { token, ...options });
}

async function newKey(person: Person) {
  const { body } = await person.call('POST', '/api/auth/api-keys', { json: { name: 'drill' } });
  return body as { readonly id: string; readonly key: string };
}

async function statusOf(api: Call, person: Person): Promise<string> {
  const call = await signInAgain(api, person);
  return eventually(async () => {
    const { body } = await call('GET', '/api/integrations/mailbox');
    return (body as { status: string }).status;
  });
}
