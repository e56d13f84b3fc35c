import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  globexCalendarClient,
  globexMailboxClient,
  type ProviderProcess,
  startProviderProcess,
  walkConsent,
} from '@junction/dev-servers/provider';
import { eventually, freePort, PUBLIC_URL } from '@junction/testing';
import { CLIENT_SECRET } from './faulty-provider.js';
import { refusalOf } from './started-integrations.js';
import { useWorld } from './world.js';

const port = await freePort();
const GLOBEX = `http://localhost:${port}`;
const world = useWorld({ GLOBEX_ISSUER: GLOBEX });
const callback = (kind: string) => `${PUBLIC_URL}/connect/globex/${kind}/callback`;

let globex: ProviderProcess;
beforeAll(async () => {
  const clients = [
    globexMailboxClient('junction-mailbox', CLIENT_SECRET, callback('mailbox')),
    globexCalendarClient('junction-calendar', CLIENT_SECRET, callback('calendar')),
  ];
  globex = await startProviderProcess({ profile: 'globex', port, issuer: GLOBEX, clients });
});
afterAll(async () => globex?.close());

describe('identity providers', () => {
  it('are listed for whoever chooses one, in the order of the file', async () => {
    const { service, newPerson } = world();
    const path = '/api/integrations/identity-providers';
    expect((await service.call(newPerson().userId, 'GET', path)).body).toEqual({
      identity_providers: [
        expect.objectContaining({
          id: 'acme',
          display_name: 'Acme',
          providers: ['mailbox', 'calendar'],
        }),
        expect.objectContaining({
          id: 'globex',
          display_name: 'Globex',
          providers: ['mailbox', 'calendar'],
        }),
      ],
    });
    expect((await service.call(undefined, 'GET', path)).status).toBe(401);
  });

  it('are chosen by their id, and the first is taken where none is named', async () => {
    const { userId, authorize } = someone();
    const urlOf = async (query = '') => String((await authorize(query)).body['authorization_url']);
    expect(await urlOf()).toMatch(new RegExp(`^${world().provider.issuer}/`));
    const url = new URL(await urlOf('?identity_provider=globex'));
    expect(url.origin).toBe(GLOBEX);
    expect(url.searchParams.get('redirect_uri')).toBe(callback('mailbox'));
    expect(url.searchParams.get('scope')?.split(' ')).toContain('mail.read');
    expect(await authorize('?identity_provider=initech')).toMatchObject({
      status: 400,
      body: { code: 'unknown_identity_provider', errors: [{ field: 'identity_provider' }] },
    });
    const fax = await world().service.call(userId, 'GET', '/api/integrations/fax/authorize');
    expect(fax).toMatchObject({ status: 404, body: { code: 'unknown_provider' } });
  });
});

describe('an answer of one identity provider', () => {
  it("connects nothing at another's redirect URI", async () => {
    const { consent, connect, integrations } = someone();
    const { code, state, iss } = await consent('globex');
    const answer = { auth_code: code, state, iss };
    const invalid = (code: string) => ({ status: 400, body: { code } });
    const at = async (json: object) => connect({ ...answer, ...json });
    expect(await at({ identity_provider: 'acme' })).toMatchObject(invalid('invalid_issuer'));
    expect(await at({ identity_provider: 'acme', iss: undefined })).toMatchObject(
      invalid('invalid_state'),
    );
    expect(await at({ identity_provider: 'acme', iss: world().provider.issuer })).toMatchObject(
      invalid('invalid_state'),
    );
    expect(await at({ iss: world().provider.issuer })).toMatchObject(invalid('invalid_issuer'));
    expect(await integrations()).toEqual([]);
    expect((await globex.control.calls()).token).toBe(0);
    expect(await at({ identity_provider: 'globex' })).toMatchObject({ status: 200 });
  });

  it('is taken without its name, which the authorization has', async () => {
    const { consent, connect, integrations } = someone();
    const { code } = await consent('globex');
    expect(await connect({ auth_code: code })).toMatchObject({ status: 200 });
    expect(await integrations()).toMatchObject([
      {
        identity_provider: 'globex',
        granted_scopes: ['mailbox.readonly', 'mailbox.send', 'mailbox.modify'],
      },
    ]);
  });
});

describe('several accounts of one kind', () => {
  it('are connected, vended by the primary and by id, and end each by itself', async () => {
    const { service, provider } = world();
    const { userId, email, connected, integrations, call } = someone();
    const [first, second, third] = [
      await connected('acme', email),
      await connected('globex', email),
      await connected('acme', `work.${email}`),
    ];
    expect(await integrations()).toMatchObject([
      { integration_id: first, identity_provider: 'acme', account: email, is_primary: true },
      { integration_id: second, identity_provider: 'globex', is_primary: false },
      { integration_id: third, account: `work.${email}`, is_primary: false },
    ]);

    const vended = async (integrationId = '') => service.vend({ userId, integrationId });
    const [ofPrimary, ...tokens] = [
      await vended(),
      await vended(first),
      await vended(second),
      await vended(third),
    ];
    expect(ofPrimary).toEqual(tokens[0]);
    expect(tokens.map(({ integrationId }) => integrationId)).toEqual([first, second, third]);
    expect(new Set(tokens.map(({ accessToken }) => accessToken)).size).toBe(3);
    const another = someone();
    expect(await refusalOf(service.vend({ userId: another.userId, integrationId: first }))).toEqual(
      expect.objectContaining({ reason: 'not_connected' }),
    );

    // The primary connection is revoked at its provider, and another connection becomes primary.
    await provider.control.happen('tokens-revoked', email, 'junction-mailbox');
    await eventually(async () => {
      expect((await call('GET', `/${first}`)).body).toMatchObject({ status: 'revoked' });
    });
    expect((await vended()).integrationId).toBe(second);
    expect(await refusalOf(vended(first))).toMatchObject({ reason: 'revoked' });
    expect((await vended(third)).accessToken).toBe(tokens[2]?.accessToken);

    // Refreshed at a provider that keeps its refresh tokens, twice.
    for (const version of [2, 3]) {
      await world().changeCredentials(userId, 'expires_at = now()');
      expect((await vended(second)).credentialVersion).toBe(version);
    }

    expect((await call('POST', `/${third}/primary`)).body).toMatchObject({ is_primary: true });
    expect((await call('GET', '/mailbox')).body).toMatchObject({ integration_id: third });
    expect((await call('DELETE', `/${second}`)).status).toBe(204);
    expect(await refusalOf(vended(second))).toMatchObject({ reason: 'disconnected' });
    expect((await vended()).integrationId).toBe(third);
    await eventually(async () => {
      const { body } = await call('GET', `/${second}`);
      expect(body).toMatchObject({ provider_revocation: 'unsupported' });
    });
    expect((await call('DELETE', '/mailbox')).status).toBe(204);
    expect(await refusalOf(vended())).toMatchObject({ reason: 'disconnected' });
    expect(await refusalOf(vended(third))).toMatchObject({ reason: 'disconnected' });
    // The account is revoked at the provider that can revoke.
    await eventually(async () => {
      expect(await provider.control.revokeAccount(`work.${email}`)).toBe(0);
    });
  });
});

/** Creates a new user, with what the user does here and at the providers. */
function someone() {
  const { service, newPerson } = world();
  const { userId, email } = newPerson();
  const call = async (method: string, path = '', json?: object) =>
    service.call(userId, method, `/api/integrations${path}`, { ...(json && { json }) });
  const authorize = async (query: string) => call('GET', `/mailbox/authorize${query}`);
  const connect = async (json: object) => call('POST', '/mailbox/connect', json);
  const consent = async (identityProvider: string, account = email) => {
    const { body } = await authorize(`?identity_provider=${identityProvider}`);
    const walk = { email: account, password: 'any', allow: true };
    const { searchParams } = await walkConsent(String(body['authorization_url']), walk);
    const part = (of: string) => searchParams.get(of) ?? '';
    return { code: part('code'), state: part('state'), iss: part('iss') };
  };
  return {
    userId,
    email,
    call,
    authorize,
    connect,
    consent,
    integrations: async () =>
      (await call('GET')).body['integrations'] as readonly Readonly<Record<string, unknown>>[],
    /** Consents as this account and connects it; gives the id of the integration. */
    async connected(identityProvider: string, account: string): Promise<string> {
      const { code, state, iss } = await consent(identityProvider, account);
      const answer = { auth_code: code, state, iss, identity_provider: identityProvider };
      const { body } = await connect(answer);
      return String(body['integration_id']);
    },
  };
}
