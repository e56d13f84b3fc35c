import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kafkaProducer } from '@junction/producer';
import { apiAt, type Call, eventually, type Receiver, startReceiver } from '@junction/testing';
import { TOTP } from 'otpauth';
import { type SharedProduct, sharedProduct } from '../src/index.js';
import { connect, type Person, signUp } from '../src/person.js';

const MINUTE = 60_000;
const DELIVERED_WITHIN_MS = 60_000;

let product: SharedProduct;
let receiver: Receiver;
let api: Call;

beforeAll(async () => {
  receiver = await startReceiver();
  product = await sharedProduct(process.env);
  api = apiAt(product.endpoints.gateway);
}, 4 * MINUTE);

afterAll(async () => {
  expect(await product?.stop()).toBe(0);
  await receiver?.close();
}, MINUTE);

describe('an account that an attacker has registered with the address of another', () => {
  it('opens nothing for the attacker once its owner has reset the password', async () => {
    const attacker = await prepared();
    await api('POST', '/api/auth/forgot-password', { json: { email: attacker.email } });
    const token = await tokenTo(attacker.email, 'Reset your password');
    const new_password = `owner ${randomUUID()}`;
    const preview = await api('POST', '/api/auth/reset-password/preview', { json: { token } });
    expect(preview).toMatchObject({ status: 200, body: { begins_anew: true, api_keys: [] } });
    const json = { token, new_password };
    expect((await api('POST', '/api/auth/reset-password', { json })).status).toBe(204);
    await expectOwned(attacker, new_password);
  });

  it('opens nothing for the attacker once its owner has verified the address, and is not blessed by the link', async () => {
    const attacker = await prepared();
    const token = await tokenTo(attacker.email, 'Verify your e-mail address');
    const verify = (json: object, options = {}) =>
      api('POST', '/api/auth/verify-email', { json: { token, ...json }, ...options });
    // Neither silence, nor another user's session, nor a key that may have been found shows the registrant.
    const other = await signUp(api);
    for (const options of [{}, { token: other.token }]) {
      expect(await verify({}, options)).toMatchObject({
        status: 403,
        body: { code: 'registrant_unknown' },
      });
    }
    expect(await verify({}, { token: attacker.key })).toMatchObject({
      status: 403,
      body: { code: 'session_required' },
    });
    expect(await verify({ password: 'a guess' })).toMatchObject({
      status: 403,
      body: { code: 'invalid_password' },
    });
    const both = { password: attacker.password, new_password: attacker.password };
    expect((await verify(both)).status).toBe(400);
    const me = await api('GET', '/api/auth/me', { token: attacker.key });
    expect(me.body).toMatchObject({ user: { email_verified: false } });

    const new_password = `owner ${randomUUID()}`;
    expect((await verify({ new_password })).status).toBe(204);
    await expectOwned(attacker, new_password);
  });
});

interface Attacker extends Person {
  readonly key: string;
  readonly path: string;
}

/** Registers, and leaves a connected account, a webhook, an API key, a factor and a session there. */
async function prepared(): Promise<Attacker> {
  const attacker = await signUp(api);
  await connect(attacker, 'mailbox');
  const path = `/hooks/${randomUUID()}`;
  const hook = { url: receiver.url + path, events: ['draft.created'], enabled: true };
  expect((await attacker.call('POST', '/api/webhooks/configure', { json: hook })).status).toBe(201);
  const made = await attacker.call('POST', '/api/auth/api-keys', { json: { name: 'theirs' } });
  const { key } = made.body as { key: string };
  const offered = await attacker.call('POST', '/api/auth/totp', { json: {} });
  const code = new TOTP({ secret: (offered.body as { secret: string }).secret }).generate();
  const added = await attacker.call('POST', '/api/auth/totp/confirm', { json: { code } });
  const { access_token: token } = (added.body as { tokens: { access_token: string } }).tokens;
  const call: Call = (method, url, options) => api(method, url, { token, ...options });
  return { ...attacker, token, call, key, path };
}

/** The owner signs in by the new password alone, to another user, and nothing of the attacker's is left. */
async function expectOwned(attacker: Attacker, password: string): Promise<void> {
  const { email, path, key } = attacker;
  const login = await api('POST', '/api/auth/login', { json: { email, password } });
  expect(login.status).toBe(200);
  const { access_token: token } = login.body as { access_token: string };
  const me = await api('GET', '/api/auth/me', { token });
  expect(me.body).toMatchObject({ user: { email, email_verified: true, second_factor: false } });
  const { id: userId } = (me.body as { user: { id: string } }).user;
  expect(userId).not.toBe(attacker.id);

  await eventually(async () => {
    for (const shown of [key, attacker.token]) {
      for (const url of ['/api/auth/me', '/api/webhooks', '/api/integrations']) {
        expect([url, (await api('GET', url, { token: shown })).status]).toEqual([url, 401]);
      }
    }
  });
  expect((await api('GET', '/api/integrations', { token })).body).toEqual({ integrations: [] });
  expect((await api('GET', '/api/webhooks', { token })).body).toMatchObject({ items: [] });
  await expectDeliveredTo(userId, token);
  expect(receiver.requests.filter((request) => request.path === path)).toEqual([]);
}

/** An event of the owner's reaches a webhook of their own; so it has passed every other one by. */
async function expectDeliveredTo(userId: string, token: string): Promise<void> {
  const path = `/hooks/${randomUUID()}`;
  const json = { url: receiver.url + path, events: ['draft.created'], enabled: true };
  expect((await api('POST', '/api/webhooks/configure', { token, json })).status).toBe(201);
  const producer = await kafkaProducer({ brokers: [product.endpoints.kafka], source: '/e2e' });
  try {
    await producer.publish({ type: 'draft.created', userId, data: { n: 1 } });
    await receiver.waitFor((request) => request.path === path, DELIVERED_WITHIN_MS);
  } finally {
    await producer.close();
  }
}

interface Mails {
  readonly items: readonly { readonly subject: string; readonly links: readonly string[] }[];
}

const tokenTo = (email: string, subject: string): Promise<string> =>
  eventually(async () => {
    const { mail } = product.endpoints;
    const answer = await fetch(`${mail}/mails.json?to=${encodeURIComponent(email)}`);
    const { items } = (await answer.json()) as Mails;
    const link = items.find((one) => one.subject === subject)?.links[0] ?? '';
    const [, token] = /#token=([\w-]+)$/.exec(link) ?? [];
    if (token === undefined) throw new Error(`${email} has no mail "${subject}".`);
    return token;
  });
