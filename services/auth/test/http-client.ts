import { randomUUID } from 'node:crypto';
import { eventsIn } from '@junction/testing';
import { decodeJwt } from 'jose';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed when it is JSON, the messages of server-sent events, undefined when there is none. */
  readonly body: unknown;
}

export interface Call {
  readonly token?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is; the content type goes into the headers. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks a started service, `ask('POST', '/api/auth/login', { json: … })`. */
export type Ask = (method: string, path: string, call?: Call) => Promise<Answer>;

export const askOf =
  (baseUrl: () => string): Ask =>
  async (method, path, { token, json, raw, headers = {} } = {}) => {
    const body = json === undefined ? raw : JSON.stringify(json);
    const response = await fetch(baseUrl() + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isStream = response.headers.get('content-type') === 'text/event-stream';
    return {
      status: response.status,
      headers: response.headers,
      body: isStream ? eventsIn(text) : text === '' ? undefined : JSON.parse(text),
    };
  };

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
