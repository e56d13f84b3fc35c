import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { walkConsent } from '@junction/dev-servers/provider';
import { type ApiAnswer, type Call } from '@junction/testing';

/** A user with an account, and the secrets that signing up gave this user. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly refreshToken: string;
  /** Calls the API as this person. */
  readonly call: Call;
}

export async function signUp(api: Call, email = `${randomUUID()}@example.com`): Promise<Person> {
  const password = `pass ${randomUUID()}`;
  const registered = await api('POST', '/api/auth/register', { json: { email, password } });
  assert.equal(registered.status, 201, JSON.stringify(registered.body));
  const login = await api('POST', '/api/auth/login', { json: { email, password } });
  assert.equal(login.status, 200, JSON.stringify(login.body));

  const { user } = registered.body as { user: { id: string } };
  const { access_token, refresh_token } = login.body as Record<string, string>;
  const token = access_token ?? '';
  const call: Call = (method, path, options) => api(method, path, { token, ...options });
  return { id: user.id, email, password, token, refreshToken: refresh_token ?? '', call };
}

export interface Consent {
  readonly state: string;
  /** Address to which the provider sent the browser back. */
  readonly back: URL;
}

export interface Choices {
  /** Absent: all that is asked. */
  readonly allow?: boolean | readonly string[];
  /** Absent: the first that this installation has. */
  readonly identityProvider?: string;
  /** The account at the provider. Absent: the person's own address. */
  readonly account?: string;
}

/** Begins a connection and agrees (or not) on the provider's own pages. */
export async function consent(
  person: Person,
  provider: string,
  { allow = true, identityProvider, account = person.email }: Choices = {},
): Promise<Consent> {
  const choice = identityProvider === undefined ? '' : `?identity_provider=${identityProvider}`;
  const begun = await person.call('GET', `/api/integrations/${provider}/authorize${choice}`);
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  const { authorization_url, state } = begun.body as Record<'authorization_url' | 'state', string>;
  const credentials = { email: account, password: 'any' };
  return { state, back: await walkConsent(authorization_url, { ...credentials, allow }) };
}

/** The whole way: authorize, consent, connect with the code alone, as interface.md shows it. */
export async function connect(
  person: Person,
  provider: string,
  choices?: Choices,
): Promise<ApiAnswer> {
  const { back } = await consent(person, provider, choices);
  const json = { auth_code: back.searchParams.get('code') };
  return person.call('POST', `/api/integrations/${provider}/connect`, { json });
}
