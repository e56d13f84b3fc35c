import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { type ApiAnswer, apiAt, type Call } from '@junction/testing';
import { decodeJwt } from 'jose';

export type Answer = ApiAnswer;

/** Asks a started service, `ask('POST', '/api/auth/login', { json: … })`. */
export type Ask = Call;

export const askOf =
  (baseUrl: () => string): Ask =>
  async (...call) =>
    apiAt(baseUrl())(...call);

/** An answer that is a problem with this status and code. */
export const problem = (status: number, code: string) =>
  expect.objectContaining({ status, body: expect.objectContaining({ status, code }) });

/** Headers that our own pages send, and no other site can. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'x-junction-csrf': '1' };

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly sessionId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export const newCredentials = () => ({
  email: `${randomUUID()}@example.com`,
  password: `secret of ${randomUUID()}`,
});

/** Registers a new person and logs in. */
export async function signUp(ask: Ask): Promise<Person> {
  const credentials = newCredentials();
  const { status, body } = await ask('POST', '/api/auth/register', { json: credentials });
  if (status !== 201) throw new Error(`register answered ${status}: ${JSON.stringify(body)}`);
  return {
    ...credentials,
    id: (body as { user: { id: string } }).user.id,
    ...(await logIn(ask, credentials)),
  };
}

export async function logIn(ask: Ask, json: { readonly email: string; readonly password: string }) {
  const { email, password } = json;
  const { status, body } = await ask('POST', '/api/auth/login', { json: { email, password } });
  if (status !== 200) throw new Error(`login answered ${status}: ${JSON.stringify(body)}`);
  return tokensOf(body);
}

export function tokensOf(body: unknown) {
  const { access_token: accessToken, refresh_token: refreshToken } = body as Record<
    'access_token' | 'refresh_token',
    string
  >;
  return { accessToken, refreshToken, sessionId: String(decodeJwt(accessToken)['sid']) };
}

/** Asks for a token of a service account by its id and secret, RFC 6749 section 4.4. */
export const askForToken = async (
  ask: Ask,
  { id, secret }: { readonly id: string; readonly secret: string },
  parameters: Readonly<Record<string, string>> | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  ask('POST', '/oauth/token', {
    text: new URLSearchParams(parameters).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${id}:${secret}`)}`,
      ...headers,
    },
  });

/** Gets a token of a service account for one service, with these scopes or with all it was granted. */
export async function tokenFor(
  ask: Ask,
  client: { readonly id: string; readonly secret: string },
  audience: string,
  scope = '',
): Promise<string> {
  const grant = { grant_type: 'client_credentials', audience, scope };
  const { body } = await askForToken(ask, client, grant);
  return (body as { access_token: string }).access_token;
}
