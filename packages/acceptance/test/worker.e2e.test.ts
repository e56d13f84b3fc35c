import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect, type Person, signUp, useProduct, worker } from '@junction/demo';
import { apiAt } from '@junction/testing';
import type { Tokens } from '@junction/worker';

const product = useProduct();
/** Seconds that no token of the provider lives: it is refreshed. */
const FORCED = 86_400;
let tokens: Tokens;
let ada: Person;
let request: { readonly userId: string; readonly provider: string };

beforeAll(async () => {
  tokens = worker(product().endpoints);
  ada = await signUp(apiAt(product().endpoints.gateway));
  await connect(ada, 'mailbox', { identityProvider: 'acme' });
  request = { userId: ada.id, provider: 'mailbox' };
});
afterAll(() => tokens?.close());

it('works again with the next token when the provider refuses one that was replaced', async () => {
  const versions: number[] = [];
  const answer = await tokens.withToken(request, async ({ credentialVersion }) => {
    versions.push(credentialVersion);
    if (versions.length > 1) return { status: 200 };
    await tokens.get({ ...request, minLifetimeS: FORCED });
    return { status: 401 };
  });
  expect(answer).toEqual({ status: 200 });
  expect(versions).toEqual([1, 2]);
});

it('has the first answer of a provider that calls the token good, and a refusal once access ended there', async () => {
  let tries = 0;
  const refused = async () => ({ status: 401, try: ++tries });
  expect(await tokens.withToken(request, refused)).toEqual({ status: 401, try: 1 });

  const revoked = await fetch(`${product().endpoints.providers.acme}/control/revoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: ada.email }),
  });
  expect(revoked.ok).toBe(true);
  const ended = tokens.withToken(request, refused);
  await expect(ended).rejects.toMatchObject({ name: 'TokenRefusedError', code: 'revoked' });
});

it('is refused by code: never connected, a scope that was not granted, a request without a user', async () => {
  const calendar = { ...request, provider: 'calendar' };
  await expect(tokens.get(calendar)).rejects.toMatchObject({ code: 'not_connected' });
  await connect(ada, 'calendar', { identityProvider: 'acme', allow: ['calendar.readonly'] });
  const scopes = ['calendar.events'];
  await expect(tokens.get({ ...calendar, scopes })).rejects.toMatchObject({
    code: 'missing_scope',
  });
  await expect(tokens.get({ ...calendar, userId: 'ada' })).rejects.not.toMatchObject({
    name: 'TokenRefusedError',
  });
});
