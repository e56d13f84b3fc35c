import { type Person, type SharedProduct, signUp } from '@junction/demo';
import { apiAt } from '@junction/testing';

/** A user of the product with a key that may do what she may. */
export type Developer = Person & { readonly apiKey: string };

export async function newDeveloper({
  endpoints,
}: Pick<SharedProduct, 'endpoints'>): Promise<Developer> {
  const person = await signUp(apiAt(endpoints.gateway));
  const made = await person.call('POST', '/api/auth/api-keys', { json: { name: 'cli' } });
  return { ...person, apiKey: (made.body as { key: string }).key };
}
