import assert from 'node:assert/strict';
import { expect } from '@jest/globals';
import { createClient } from '@junction/client';
import { SERVICE_SCOPES, SERVICES, type ServiceName } from '@junction/contracts';
import { type Person, type Product, serviceToken, signUp } from '@junction/demo';
import { type Call, eventually } from '@junction/testing';
import { TOTP } from 'otpauth';

/** Origins of a page that frames the portal, and of one that is nobody's. */
export const PORTAL_ORIGIN = 'https://app.example.com';
const FOREIGN_ORIGIN = 'https://elsewhere.example';

export type Headers = Readonly<Record<string, string>>;

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** Headers of a browser that calls from a page of ours, and from one of another origin. */
export const ownPage = { 'sec-fetch-site': 'same-origin', 'x-junction-csrf': '1' };
export const foreignPage = { origin: FOREIGN_ORIGIN, 'x-junction-csrf': '1' };

export async function signIn(api: Call, { email, password }: Person): Promise<string> {
  const { body } = await api('POST', '/api/auth/login', { json: { email, password } });
  return textOf(body, 'access_token');
}

/** The cookies of a new browser session. */
export async function browserOf(api: Call, { email, password }: Person): Promise<Headers> {
  const json = { email, password };
  const { headers } = await api('POST', '/api/auth/session', { json, headers: ownPage });
  const cookies = headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
  assert.equal(cookies.length, 4);
  return { cookie: cookies.join('; ') };
}

export interface NewKey {
  readonly id: string;
  readonly key: string;
}

/** Absent scopes: without limits. */
export async function apiKey({ call }: Person, scopes?: readonly string[]): Promise<NewKey> {
  const json = { name: 'matrix', ...(scopes && { scopes }) };
  const { body } = await call('POST', '/api/auth/api-keys', { json });
  return { id: textOf(body, 'id'), key: textOf(body, 'key') };
}

/** Adds an authenticator, and gives the access token of the session that has shown it. */
export async function withFactor(api: Call, token: string): Promise<string> {
  const offered = await api('POST', '/api/auth/totp', { token, json: {} });
  const code = new TOTP({ secret: textOf(offered.body, 'secret') }).generate();
  const { body } = await api('POST', '/api/auth/totp/confirm', { token, json: { code } });
  return textOf((body as { tokens?: unknown }).tokens, 'access_token');
}

/** The access token of a new operator. */
export async function newOperator(product: Product, api: Call): Promise<string> {
  const person = await signUp(api);
  await asTool(product).post('/api/ops/auth/operators', { body: { user_id: person.id } });
  return signIn(api, person);
}

/** Source of tokens for a service account that may do everything: for an audience, with all scopes or one. */
export type ServiceTokens = (audience: ServiceName, scope?: string) => Promise<string>;

export async function newServiceAccount(product: Product): Promise<ServiceTokens> {
  const scopes = Object.values(SERVICE_SCOPES);
  const grants = SERVICES.map((audience) => ({ audience, scopes }));
  const { client_id, client_secret } = await asTool(product).post('/api/ops/auth/clients', {
    body: { name: 'matrix', grants },
  });
  const account = { client_id, client_secret: client_secret ?? '' };
  return async (audience, scope) =>
    serviceToken({ ...product.endpoints, operator: account }, 'operator', audience, scope);
}

/** The access token of a portal that a service opens for somebody. */
export async function portalOf(api: Call, { id }: Person, service: string): Promise<string> {
  const json = { user_id: id, origin: PORTAL_ORIGIN };
  const link = await api('POST', '/api/portal-links', { token: service, json });
  const token = new URL(textOf(link.body, 'url')).hash.slice(1);
  const { body } = await api('POST', '/api/portal-links/exchange', { json: { token } });
  return textOf(body, 'access_token');
}

/** Ends what was good everywhere, and waits until no service takes it any more. */
export async function ended(
  api: Call,
  headers: Headers,
  end: () => Promise<{ readonly status: number }>,
): Promise<Headers> {
  const everywhere = async () =>
    Promise.all(EACH_SERVICE.map(async (path) => (await api('GET', path, { headers })).status));
  expect(await everywhere()).toEqual([200, 200, 200]);
  const { status } = await end();
  assert.ok(status < 300, `What should end a credential answered ${status}.`);
  await eventually(async () => expect(await everywhere()).toEqual([401, 401, 401]));
  return headers;
}

const EACH_SERVICE = ['/api/auth/me', '/api/integrations', '/api/webhooks'];

/** Calls auth as the operators' command does. */
const asTool = ({ endpoints }: Product) =>
  createClient({
    baseUrl: `${endpoints.http.auth}/internal`,
    credential: { token: async () => serviceToken(endpoints, 'operator', 'auth') },
  });

function textOf(body: unknown, member: string): string {
  const value = ((body ?? {}) as Readonly<Record<string, unknown>>)[member];
  assert.ok(typeof value === 'string', `No ${member} in ${JSON.stringify(body)}`);
  return value;
}
