import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mailboxAt, notLate } from '../../../test/on-provider.js';
import {
  type RecordedProvider,
  startRecordedProvider,
  type TokenAnswer,
} from '../../../test/recorded-provider.js';
import type { OAuthProvider } from '../../application/oauth-provider.js';
import type { ProviderSettings } from './provider-settings.js';

const CLIENT_ID = 'our-client';
const NONCE = 'nonce';
const GMAIL = 'https://www.googleapis.com/auth/gmail';
const GRAPH = 'https://graph.microsoft.com';
const TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
const ENTRA = 'https://login.microsoftonline.com';

/** https://accounts.google.com/.well-known/openid-configuration */
const GOOGLE = {
  issuer: 'https://accounts.google.com',
  authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
  device_authorization_endpoint: 'https://oauth2.googleapis.com/device/code',
  token_endpoint: 'https://oauth2.googleapis.com/token',
  userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
  revocation_endpoint: 'https://oauth2.googleapis.com/revoke',
  jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
  response_types_supported: ['code', 'token', 'id_token', 'none'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  scopes_supported: ['openid', 'email', 'profile'],
  token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  code_challenge_methods_supported: ['plain', 'S256'],
};

/**
 * Returns the description at https://login.microsoftonline.com/{common or a
 * tenant}/v2.0/.well-known/openid-configuration.
 */
const microsoft = (at: string, issuer: string) => ({
  token_endpoint: `${ENTRA}/${at}/oauth2/v2.0/token`,
  token_endpoint_auth_methods_supported: [
    'client_secret_post',
    'private_key_jwt',
    'client_secret_basic',
  ],
  jwks_uri: `${ENTRA}/common/discovery/v2.0/keys`,
  response_modes_supported: ['query', 'fragment', 'form_post'],
  subject_types_supported: ['pairwise'],
  id_token_signing_alg_values_supported: ['RS256'],
  response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
  scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
  issuer,
  request_uri_parameter_supported: false,
  userinfo_endpoint: `${GRAPH}/oidc/userinfo`,
  authorization_endpoint: `${ENTRA}/${at}/oauth2/v2.0/authorize`,
  http_logout_supported: true,
  frontchannel_logout_supported: true,
  end_session_endpoint: `${ENTRA}/${at}/oauth2/v2.0/logout`,
  tenant_region_scope: null,
  cloud_instance_name: 'microsoftonline.com',
  cloud_graph_host_name: 'graph.windows.net',
  msgraph_host: 'graph.microsoft.com',
});

describe('Google', () => {
  const recorded = useRecorded(() => ({
    origins: [
      'https://accounts.google.com',
      'https://oauth2.googleapis.com',
      'https://www.googleapis.com',
    ],
    descriptions: { '/.well-known/openid-configuration': GOOGLE },
    jwksPath: '/oauth2/v3/certs',
  }));
  const google = () =>
    clientAt(recorded(), {
      issuer: 'https://accounts.google.com',
      scopes: {
        'mailbox.readonly': `${GMAIL}.metadata`,
        'mailbox.send': `${GMAIL}.send`,
        'mailbox.modify': `${GMAIL}.modify`,
      },
      extraScopes: ['openid', 'email'],
      authorizationParams: { access_type: 'offline', prompt: 'consent' },
      separateGrants: false,
      introspectionsPerS: undefined,
    });
  const tokens = (changes: object = {}): TokenAnswer => ({
    idToken: {
      iss: 'https://accounts.google.com',
      azp: CLIENT_ID,
      aud: CLIENT_ID,
      sub: '110169484474386276334',
      email: 'ada@gmail.com',
      email_verified: true,
      at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q',
      nonce: NONCE,
    },
    body: {
      access_token: 'ya29.a0AfB',
      expires_in: 3599,
      refresh_token: '1//0gXyz',
      refresh_token_expires_in: 604799,
      scope: `openid ${GMAIL}.send https://www.googleapis.com/auth/userinfo.email ${GMAIL}.metadata`,
      token_type: 'Bearer',
      ...changes,
    },
  });

  it('answers scopes in an order of its own, and e-mail by another name', async () => {
    recorded().answer(tokens());
    const grant = await exchange(google());
    expect(grant).toMatchObject({
      scopes: {
        grantedScopes: ['mailbox.readonly', 'mailbox.send'],
        missingScopes: ['mailbox.modify'],
      },
      unaskedScopes: [],
      account: 'ada@gmail.com',
      accountId: '110169484474386276334',
      refreshToken: '1//0gXyz',
    });
  });

  it('adds what was granted before, which is shown', async () => {
    const scope = `openid https://www.googleapis.com/auth/drive.file ${GMAIL}.send`;
    recorded().answer(tokens({ scope }));
    expect((await exchange(google())).unaskedScopes).toEqual([
      'https://www.googleapis.com/auth/drive.file',
    ]);
  });

  it('gives no refresh token at a second consent, unless it is asked for consent', async () => {
    recorded().answer(tokens({ refresh_token: undefined }));
    expect((await exchange(google())).refreshToken).toBeUndefined();
    const url = new URL(await google().authorizationUrl(REQUEST));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      access_type: 'offline',
      prompt: 'consent',
    });
  });

  it('gives no other refresh token with a refresh', async () => {
    const { idToken: _, body } = tokens({ refresh_token: undefined, expires_in: 3599 });
    recorded().answer({ body });
    expect((await refresh(google())).refreshToken).toBeUndefined();
    expect(recorded().asked.at(-1)?.get('refresh_token')).toBe('rt');
  });
});

describe('Microsoft', () => {
  const template = `${ENTRA}/{tenantid}/v2.0`;
  const tenant = `${ENTRA}/${TENANT}/v2.0`;
  const recorded = useRecorded(() => ({
    origins: [ENTRA],
    descriptions: {
      '/common/v2.0/.well-known/openid-configuration': microsoft('common', template),
      [`/${TENANT}/v2.0/.well-known/openid-configuration`]: microsoft(TENANT, tenant),
    },
    jwksPath: '/common/discovery/v2.0/keys',
    issuersWithKey: [tenant, template],
  }));
  const at = (issuer: string) =>
    clientAt(recorded(), {
      issuer,
      scopes: {
        'mailbox.readonly': `${GRAPH}/Mail.ReadBasic`,
        'mailbox.send': `${GRAPH}/Mail.Send`,
      },
      extraScopes: ['openid', 'profile', 'offline_access'],
      authorizationParams: { prompt: 'select_account' },
      revocation: 'none',
      introspectionsPerS: undefined,
    });
  const common = () => at(`${ENTRA}/common/v2.0`);
  const tokens = (claims: object = {}, changes: object = {}): TokenAnswer => ({
    idToken: {
      ver: '2.0',
      iss: tenant,
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      aud: CLIENT_ID,
      name: 'Ada Lovelace',
      preferred_username: 'ada@contoso.example',
      oid: '00000000-0000-0000-66f3-3332eca7ea81',
      tid: TENANT,
      nonce: NONCE,
      ...claims,
    },
    body: {
      token_type: 'Bearer',
      scope: `openid profile ${GRAPH}/Mail.ReadBasic ${GRAPH}/Mail.Send ${GRAPH}/User.Read`,
      expires_in: 4215,
      ext_expires_in: 4215,
      access_token: 'EwB4A8l6BAAU',
      refresh_token: 'M.C105_BAY',
      ...changes,
    },
  });

  it('signs as the tenant of the account, whichever it is', async () => {
    const other = 'a1b2c3d4-0000-4000-8000-000000000001';
    recorded().answer(tokens(), tokens({ tid: other, iss: `${ENTRA}/${other}/v2.0` }));
    const [one, two] = [await exchange(common()), await exchange(common())];
    expect(one).toMatchObject({
      account: 'ada@contoso.example',
      scopes: { grantedScopes: ['mailbox.readonly', 'mailbox.send'], missingScopes: [] },
      unaskedScopes: [`${GRAPH}/User.Read`],
    });
    // The same sub of another tenant is another account.
    expect(one.accountId).not.toBe(two.accountId);
  });

  it.each([
    ['another tenant than its token names', { tid: 'a1b2c3d4-0000-4000-8000-000000000001' }],
    ['no tenant', { tid: undefined }],
    ['a list of tenants', { tid: [TENANT] }],
    ['a list in a list', { tid: [[TENANT]] }],
    ['the template itself', { iss: template, tid: '{tenantid}' }],
    ['somebody else', { iss: `https://login.attacker.example/${TENANT}/v2.0` }],
  ])('is not believed as %s', async (_, claims) => {
    recorded().answer(tokens(claims));
    await expect(exchange(common())).rejects.toMatchObject({
      failure: 'refused',
      reason: 'foreign_id_token',
      recovered: { refreshToken: 'M.C105_BAY' },
    });
  });

  it('signs for one tenant with a key of that tenant, or with one of all', async () => {
    const other = 'a1b2c3d4-0000-4000-8000-000000000001';
    const ofOther = tokens({ tid: other, iss: `${ENTRA}/${other}/v2.0` });
    recorded().answer(
      { ...tokens(), keyOf: tenant },
      { ...ofOther, keyOf: template },
      { ...ofOther, keyOf: tenant },
    );
    expect((await exchange(common())).accountId).toContain(TENANT);
    expect((await exchange(common())).accountId).toContain(other);
    await expect(exchange(common())).rejects.toMatchObject({
      failure: 'refused',
      reason: 'foreign_id_token',
      recovered: { refreshToken: 'M.C105_BAY' },
    });
  });

  it('signs for that tenant alone at the issuer of one tenant', async () => {
    const other = 'a1b2c3d4-0000-4000-8000-000000000001';
    recorded().answer(tokens(), tokens({ tid: other, iss: `${ENTRA}/${other}/v2.0` }));
    const { accountId } = await exchange(at(tenant));
    expect(accountId).toBe('AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ');
    await expect(exchange(at(tenant))).rejects.toMatchObject({ reason: 'foreign_id_token' });
  });

  it.each([
    [undefined, true, true],
    [tenant, true, true],
    [`${ENTRA}/a1b2c3d4-0000-4000-8000-000000000001/v2.0`, true, false],
    [template, false, false],
    [`${ENTRA}/common/v2.0`, false, false],
    [`${ENTRA}/${TENANT}/v2.0/`, false, false],
    ['https://accounts.google.com', false, false],
  ])(
    'as an answer names it (%s) is one of all tenants: %s, this tenant: %s',
    async (iss, ofAll, ofOne) => {
      expect(await common().isIssuer(iss)).toBe(ofAll);
      expect(await at(tenant).isIssuer(iss)).toBe(ofOne);
    },
  );
});

const REQUEST = { state: 'state', nonce: NONCE, verifier: 'v'.repeat(43), userId: 'u1' };

const exchange = async (provider: OAuthProvider) =>
  provider.exchange({ ...REQUEST, code: 'code', redirectUri: provider.redirectUri });

const refresh = async (provider: OAuthProvider) => provider.refresh('rt', notLate);

const clientAt = (
  { fetch }: RecordedProvider,
  settings: Partial<ProviderSettings> & { readonly issuer: string },
): OAuthProvider => mailboxAt(settings.issuer, { clientId: CLIENT_ID, ...settings }, { fetch });

/** Starts a recorded provider for the tests of a block. */
function useRecorded(
  recording: () => Parameters<typeof startRecordedProvider>[0],
): () => RecordedProvider {
  let provider: RecordedProvider;
  beforeAll(async () => {
    provider = await startRecordedProvider(recording());
  });
  afterAll(async () => provider?.close());
  return () => provider;
}
