import { SERVICE_SCOPES, SERVICES, type ServiceName } from '@junction/contracts';
import { type Person, type Product, signUp } from '@junction/demo';
import { type Call } from '@junction/testing';
import {
  apiKey,
  bearer,
  browserOf,
  ended,
  foreignPage,
  type Headers,
  newOperator,
  newServiceAccount,
  ownPage,
  portalOf,
  type ServiceTokens,
  signIn,
  withFactor,
} from './credentials.js';
import { FULL_SCOPE, type Page, type Shown } from './expectations.js';
import { claimsOf, ownKeys, type Resign } from './own-key.js';

/** A caller of every operation. */
export interface Caller {
  readonly name: string;
  readonly shows: Shown;
  readonly page?: Page;
  headers(audience: ServiceName): Headers;
  /** Makes another caller like this one, for operations that end the session of their caller. */
  readonly anew?: () => Promise<Caller>;
  /** The caller is Ada herself, though from a foreign page: answers may contain her data. */
  readonly isAda?: true;
}

/** The parts that callers are made with. */
export interface World {
  readonly product: Product;
  readonly api: Call;
  readonly ada: Person;
  /** Scopes of API keys, as the document names them. */
  readonly keyScopes: readonly string[];
}

/**
 * Makes all callers. Credentials that have ended were mostly Ada's, so that a gap would show her data; every other
 * caller is a stranger to her.
 */
export async function everybody(world: World): Promise<readonly Caller[]> {
  const { product, api } = world;
  const [resign, tokens, stranger] = await Promise.all([
    ownKeys(product),
    newServiceAccount(product),
    signUp(api),
  ]);
  const all = await Promise.all([
    formerly(world, resign),
    browsers(world),
    sessions(world),
    keys(stranger, world.keyScopes),
    services(tokens, resign),
  ]);
  const portal = await portalOf(api, stranger, await tokens('auth'));
  const scopes = String(claimsOf(portal)['scope']).split(' ');
  return [
    caller('no credentials', { kind: 'nothing' }, {}),
    caller('a token that is none', { kind: 'void' }, bearer('garbage')),
    ...all.flat(),
    caller('portal', { kind: 'portal', scopes }, bearer(portal)),
  ];
}

const caller = (
  name: string,
  shows: Shown,
  headers: Headers,
  more: Partial<Caller> = {},
): Caller => ({
  name,
  shows,
  headers: () => headers,
  ...more,
});

/** Makes callers with credentials that no longer count. All but one were Ada's. */
async function formerly({ api, ada }: World, resign: Resign): Promise<readonly Caller[]> {
  const asAda = bearer(ada.token);
  const [token, browser, revoked, rotated, deleted] = await Promise.all([
    signIn(api, ada),
    browserOf(api, ada),
    apiKey(ada),
    apiKey(ada),
    signUp(api),
  ]);
  const json = { password: deleted.password };
  const unchanged = await api('GET', '/api/auth/me', { token: resign(ada.token, {}) });
  if (unchanged.status !== 200) throw new Error('A token that is signed anew is not genuine.');

  const session = await ended(api, bearer(token), () =>
    api('POST', '/api/auth/logout', { token, json: {} }),
  );
  const cookie = await ended(api, { ...ownPage, ...browser }, () =>
    api('DELETE', '/api/auth/session', { headers: { ...ownPage, ...browser } }),
  );
  const key = await ended(api, bearer(revoked.key), () =>
    api('DELETE', `/api/auth/api-keys/${revoked.id}`, { headers: asAda }),
  );
  const secret = await ended(api, bearer(rotated.key), () =>
    api('POST', `/api/auth/api-keys/${rotated.id}/rotate`, {
      headers: asAda,
      json: { overlap_s: 0 },
    }),
  );
  const gone = await ended(api, bearer(deleted.token), () =>
    deleted.call('DELETE', '/api/auth/me', { json }),
  );
  const expired = bearer(resign(ada.token, past()));
  return [
    caller('expired token', { kind: 'void' }, expired),
    caller('token of an ended session', { kind: 'void' }, session),
    caller('cookie of an ended session', { kind: 'void' }, cookie, { page: 'own' }),
    caller('revoked api key', { kind: 'void' }, key),
    caller('api key before its rotation', { kind: 'void' }, secret),
    caller('token of a deleted user', { kind: 'void' }, gone),
  ];
}

async function browsers({ api, ada }: World): Promise<readonly Caller[]> {
  const session: Shown = { kind: 'session' };
  const own = async (): Promise<Caller> => {
    const headers = { ...ownPage, ...(await browserOf(api, await signUp(api))) };
    return caller('cookie', session, headers, { page: 'own', anew: own });
  };
  const foreign = { ...foreignPage, ...(await browserOf(api, ada)) };
  return [
    await own(),
    caller('cookie from a foreign page', session, foreign, { page: 'foreign', isAda: true }),
  ];
}

async function sessions({ product, api }: World): Promise<readonly Caller[]> {
  const maker = (name: string, shows: Shown, token: () => Promise<string>) => {
    const anew = async (): Promise<Caller> => caller(name, shows, bearer(await token()), { anew });
    return anew();
  };
  const operator = { kind: 'session', isOperator: true } as const;
  return Promise.all([
    maker(ANOTHER_USER, { kind: 'session' }, async () => (await signUp(api)).token),
    maker('operator', operator, async () => newOperator(product, api)),
    maker('operator with a second factor', { ...operator, hasFactor: true }, async () =>
      withFactor(api, await newOperator(product, api)),
    ),
  ]);
}

export const ANOTHER_USER = 'another user';

async function keys(owner: Person, scopes: readonly string[]): Promise<readonly Caller[]> {
  const key = async (name: string, wanted: readonly string[] | undefined): Promise<Caller> =>
    caller(
      `api key ${name}`,
      { kind: 'api key', scopes: wanted ?? [FULL_SCOPE] },
      bearer((await apiKey(owner, wanted)).key),
    );
  return Promise.all([
    ...scopes.map((scope) => key(scope, [scope])),
    key('with all scopes', scopes),
    key('without limits', undefined),
  ]);
}

/** Makes callers with tokens for the service that they call; the last caller has tokens for another service. */
async function services(tokens: ServiceTokens, resign: Resign): Promise<readonly Caller[]> {
  const service = async (
    name: string,
    shows: Shown,
    token: (one: ServiceName) => Promise<string>,
  ) => {
    const [auth, integrations, dispatcher] = await Promise.all(SERVICES.map(token));
    const made = { auth, integrations, 'webhook-dispatcher': dispatcher };
    const headers = (audience: ServiceName) => bearer(made[audience] ?? '');
    return { ...caller(`service token ${name}`, shows, {}), headers };
  };
  const withScopes = (...scopes: string[]): Shown => ({ kind: 'service', scopes });
  return Promise.all([
    ...Object.values(SERVICE_SCOPES).map(async (scope) =>
      service(scope, withScopes(scope), async (one) => tokens(one, scope)),
    ),
    service('without a scope', withScopes(), async (one) =>
      resign(await tokens(one), { scope: '' }),
    ),
    service('that expired', { kind: 'void' }, async (one) => resign(await tokens(one), past())),
    service('for another service', { kind: 'void' }, async (one) =>
      tokens(one === 'auth' ? 'integrations' : 'auth'),
    ),
  ]);
}

/** Claims of a token that ended an hour ago. */
function past(): object {
  const exp = Math.floor(Date.now() / 1_000) - 3_600;
  return { iat: exp - 600, exp };
}
