import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { revokeInAccountPage } from '@junction/dev-servers/provider';
import { apiAt, type Call, eventually } from '@junction/testing';
import { type SharedProduct, sharedProduct, worker } from '../src/index.js';
import { type Choices, connect, consent, type Person, signUp } from '../src/person.js';

const MINUTE = 60_000;

interface View {
  readonly integration_id: string;
  readonly identity_provider: string;
  readonly account: string | null;
  readonly status: string;
  readonly is_primary: boolean;
}

let product: SharedProduct;
let api: Call;
let tokens: Awaited<ReturnType<typeof worker>>;

beforeAll(async () => {
  product = await sharedProduct(process.env);
  api = apiAt(product.endpoints.gateway);
  tokens = await worker(product.endpoints);
}, 4 * MINUTE);

afterAll(async () => {
  tokens?.close();
  expect(await product?.stop()).toBe(0);
}, MINUTE);

describe('the identity providers', () => {
  it('are both offered, in the order of the file, each with an icon', async () => {
    const ada = await signUp(api);
    const offered = await ada.call('GET', '/api/integrations/identity-providers');
    const icon = expect.stringMatching(/^data:image\/svg\+xml;base64,/);
    const providers = ['mailbox', 'calendar'];
    expect(offered.body).toEqual({
      identity_providers: [
        { id: 'acme', display_name: 'Acme', icon, providers },
        { id: 'globex', display_name: 'Globex', icon, providers },
      ],
    });
  });

  it('are asked for the scopes that they know, and sent their own redirect URI', async () => {
    const ada = await signUp(api);
    const asked = async (id: string) => {
      const authorize = `/api/integrations/mailbox/authorize?identity_provider=${id}`;
      const { body } = await ada.call('GET', authorize);
      const { searchParams } = new URL((body as { authorization_url: string }).authorization_url);
      const redirectUri = new URL(searchParams.get('redirect_uri') ?? '').pathname;
      return { scopes: searchParams.get('scope')?.split(' '), redirectUri };
    };
    expect(await asked('acme')).toEqual({
      scopes: expect.arrayContaining(['mailbox.readonly', 'mailbox.send', 'mailbox.modify']),
      redirectUri: '/connect/acme/mailbox/callback',
    });
    expect(await asked('globex')).toEqual({
      scopes: expect.arrayContaining(['mail.read', 'mail.send', 'mail.write']),
      redirectUri: '/connect/globex/mailbox/callback',
    });
  });

  it('are not mistaken for each other: an answer of one, given as that of the other, connects nothing', async () => {
    const ada = await signUp(api);
    const { back, state } = await consent(ada, 'mailbox', { identityProvider: 'acme' });
    const mixedUp = await ada.call('POST', '/api/integrations/mailbox/connect', {
      json: { auth_code: back.searchParams.get('code'), state, identity_provider: 'globex' },
    });
    expect(mixedUp).toMatchObject({ status: 400, body: { code: 'invalid_state' } });
    expect(await mailboxesOf(ada)).toEqual([]);
  });
});

describe('a user with three mailboxes', () => {
  let ada: Person;
  let home: string;
  let globex: string;
  let work: string;

  beforeAll(async () => {
    ada = await signUp(api);
    home = await connected(ada, { identityProvider: 'acme' });
    globex = await connected(ada, { identityProvider: 'globex' });
    work = await connected(ada, { identityProvider: 'acme', account: `work.${ada.email}` });
  }, MINUTE);

  it('has them all, the first one as the primary, each with its account', async () => {
    expect(await mailboxesOf(ada)).toEqual([
      shown(home, { identity_provider: 'acme', account: ada.email, is_primary: true }),
      shown(globex, { identity_provider: 'globex', account: ada.email, is_primary: false }),
      shown(work, { identity_provider: 'acme', account: `work.${ada.email}`, is_primary: false }),
    ]);
  });

  it('lets workers have the token of the primary, or of the one they name', async () => {
    const primary = await vend(ada);
    expect(primary.integrationId).toBe(home);
    const named = await Promise.all([home, globex, work].map(async (id) => vend(ada, id)));
    expect(named.map(({ integrationId }) => integrationId)).toEqual([home, globex, work]);
    expect(new Set(named.map(({ accessToken }) => accessToken)).size).toBe(3);
    const readable = named.map(({ scopes }) => scopes.includes('mailbox.readonly'));
    expect(readable).toEqual([true, true, true]);
  });

  it('keeps the access of a provider that does not rotate refresh tokens, refresh after refresh', async () => {
    const { credentialVersion: first } = await vend(ada, globex);
    for (const version of [first + 1, first + 2]) {
      await eventually(async () => {
        const refreshed = await vend(ada, globex, { minLifetimeS: ALMOST_WHOLE_LIFETIME_S });
        expect(refreshed.credentialVersion).toBe(version);
      });
    }
  });

  it('can make another one the primary', async () => {
    const made = await ada.call('POST', `/api/integrations/${globex}/primary`);
    expect(made).toMatchObject({ status: 200, body: { integration_id: globex, is_primary: true } });
    expect((await vend(ada)).integrationId).toBe(globex);
  });

  it('sees the one that was revoked at its provider end, and no other', async () => {
    await revokeInAccountPage(product.endpoints.providers.acme, {
      email: `work.${ada.email}`,
      password: 'any',
      client: 'junction-mailbox',
    });
    await eventually(async () => {
      const statuses = (await mailboxesOf(ada)).map((view) => [view.integration_id, view.status]);
      expect(Object.fromEntries(statuses)).toEqual({
        [home]: 'active',
        [globex]: 'active',
        [work]: 'revoked',
      });
    });
  });

  it('can end one, and then all of the kind', async () => {
    const one = await ada.call('DELETE', `/api/integrations/${globex}`);
    expect(one.status).toBe(204);
    await expect(vend(ada, globex)).rejects.toMatchObject({ code: expect.any(Number) });
    expect((await vend(ada)).integrationId).toBe(home);

    expect((await ada.call('DELETE', '/api/integrations/mailbox')).status).toBe(204);
    for (const id of [undefined, home, globex, work]) {
      await expect(vend(ada, id)).rejects.toMatchObject({ code: expect.any(Number) });
    }
    const statuses = (await mailboxesOf(ada)).map(({ status }) => status);
    expect(statuses).not.toContain('active');
  });
});

/** Tokens of the development providers live 3 600 s: one that is a few seconds old is refreshed for this. */
const ALMOST_WHOLE_LIFETIME_S = 3_597;

async function connected(person: Person, choices: Choices): Promise<string> {
  const answer = await connect(person, 'mailbox', choices);
  expect(answer).toMatchObject({ status: 200, body: { success: true, status: 'connected' } });
  return (answer.body as { integration_id: string }).integration_id;
}

async function mailboxesOf(person: Person): Promise<readonly View[]> {
  const { body } = await person.call('GET', '/api/integrations');
  return (body as { integrations: readonly View[] }).integrations;
}

const shown = (integration_id: string, fields: Partial<View>) =>
  expect.objectContaining({ integration_id, provider: 'mailbox', status: 'active', ...fields });

const vend = async ({ id: userId }: Person, integrationId?: string, more: object = {}) =>
  tokens.vend({ userId, provider: 'mailbox', ...(integrationId && { integrationId }), ...more });
