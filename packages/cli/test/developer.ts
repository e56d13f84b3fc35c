import { randomUUID } from 'node:crypto';
import { type SharedProduct } from '@junction/demo';
import { apiAt, type Call } from '@junction/testing';

export interface Developer {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  /** Calls the API with an access token of hers. */
  readonly call: Call;
  readonly apiKey: string;
}

/** A user of the product with a key that may do what she may. */
export async function newDeveloper({
  endpoints,
}: Pick<SharedProduct, 'endpoints'>): Promise<Developer> {
  const api = apiAt(endpoints.gateway);
  const json = { email: `${randomUUID()}@example.com`, password: `pass ${randomUUID()}` };
  const registered = await api('POST', '/api/auth/register', { json });
  const { id: userId } = (registered.body as { user: { id: string } }).user;
  const login = await api('POST', '/api/auth/login', { json });
  const { access_token: token } = login.body as { access_token: string };
  const call: Call = (method, path, options) => api(method, path, { token, ...options });
  const made = await call('POST', '/api/auth/api-keys', { json: { name: 'cli' } });
  return { ...json, userId, call, apiKey: (made.body as { key: string }).key };
}
