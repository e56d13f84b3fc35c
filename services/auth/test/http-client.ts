import { randomUUID } from 'node:crypto';
import { type ApiAnswer, apiAt, type Call } from '@junction/testing';
import { decodeJwt } from 'jose';

export type Answer = ApiAnswer;

/** Asks a started service, `ask('POST', '/api/auth/login', { json: … })`. */
export type Ask = Call;

export const askOf =
  (baseUrl: () => string): Ask =>
  async (...call) =>
    apiAt(baseUrl())(...call);

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
