import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Open } from '../closing.js';

/** A user with an account, a session and API keys. */
export interface Person {
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly keys: readonly string[];
}

/** Sends a request; gives the body, and throws for every answer but a good one. */
export type Send = (
  method: 'GET' | 'POST',
  url: string,
  options?: { readonly credential?: string; readonly json?: object },
) => Promise<unknown>;

export class RefusedError extends Error {}

export function sender(open: Open): Send {
  const dispatcher = new Agent({ connections: 128 });
  open(() => dispatcher.close());
  return async (method, url, { credential, json } = {}) => {
    const { statusCode, body } = await request(url, {
      method,
      dispatcher,
      headers: {
        ...(credential && { authorization: `Bearer ${credential}` }),
        ...(json && { 'content-type': 'application/json' }),
      },
      ...(json && { body: JSON.stringify(json) }),
    });
    const text = await body.text();
    if (statusCode >= 300) throw new RefusedError(`${url} answered ${statusCode}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** Makes accounts one after another: each costs a hash of a password. */
export async function newPeople(
  send: Send,
  authUrl: string,
  { count, keysEach }: { readonly count: number; readonly keysEach: number },
): Promise<readonly Person[]> {
  const people: Person[] = [];
  while (people.length < count) {
    const json = { email: `${randomUUID()}@example.com`, password: `pass ${randomUUID()}` };
    await send('POST', `${authUrl}/api/auth/register`, { json });
    const token = await logIn(send, authUrl, json);
    const keys: string[] = [];
    while (keys.length < keysEach) {
      const made = await send('POST', `${authUrl}/api/auth/api-keys`, {
        credential: token,
        json: { name: `key ${keys.length}` },
      });
      keys.push((made as { key: string }).key);
    }
    people.push({ ...json, token, keys });
  }
  return people;
}

export async function logIn(
  send: Send,
  authUrl: string,
  { email, password }: Pick<Person, 'email' | 'password'>,
): Promise<string> {
  const json = { email, password };
  const answer = await send('POST', `${authUrl}/api/auth/login`, { json });
  return (answer as { access_token: string }).access_token;
}
