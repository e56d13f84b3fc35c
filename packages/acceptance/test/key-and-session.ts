import type { Person } from '@junction/demo';
import { type Call } from '@junction/testing';

/** An API key. */
export interface Key {
  readonly id: string;
  readonly key: string;
}

export async function newKey(person: Person): Promise<Key> {
  const { body } = await person.call('POST', '/api/auth/api-keys', { json: { name: 'drill' } });
  return body as Key;
}

/** Ends a key, a session and a connection. */
export async function endAll(api: Call, person: Person, { id }: Key): Promise<void> {
  await person.call('DELETE', `/api/auth/api-keys/${id}`);
  await api('POST', '/api/auth/logout', { token: person.token, json: {} });
  const call = await signInAgain(api, person);
  await call('DELETE', '/api/integrations/mailbox');
}

/** Signs a person in again, for another session. */
export async function signInAgain(api: Call, person: Person): Promise<Call> {
  const { body } = await api('POST', '/api/auth/login', { json: credentialsOf(person) });
  const { access_token: token } = body as Record<string, string>;
  return (method, path, options) => api(method, path, { token, ...options });
}

export const credentialsOf = ({ email, password }: Person) => ({ email, password });
