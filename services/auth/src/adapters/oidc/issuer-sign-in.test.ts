import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { issuerKeys } from '@junction/service/callers';
import { outboundCalls } from '@junction/service/outbound';
import type { JWTPayload } from 'jose';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  DISCOVERY,
  type ForeignIssuer,
  JWKS,
  PUSHED,
  startForeignIssuer,
  TOKEN,
} from '../../../test/foreign-issuer.js';
import { issuerSignIns } from './issuer-sign-in.js';

const MB = 1_024 * 1_024;
const outbound = outboundCalls({});
let issuer: ForeignIssuer;
beforeAll(async () => {
  issuer = await startForeignIssuer();
});
beforeEach(() => issuer.recover());
afterAll(async () => {
  await outbound.close();
  await issuer.close();
});

describe('signing in at a trusted issuer', () => {
  it.each<[string, JWTPayload, Parameters<ForeignIssuer['say']>[1]]>([
    ['RS256', {}, 'RS256'],
    ['an algorithm that it does not promise', {}, 'ES256'],
    ["our client's secret", {}, 'secret'],
    ['RS256, for audiences beside us', { aud: ['another', CLIENT_ID] }, 'RS256'],
    ['RS256, for us among others', { aud: ['another', CLIENT_ID], azp: CLIENT_ID }, 'RS256'],
  ])('takes an id_token by %s', async (_, claims, by) => {
    issuer.say(claims, by);
    expect(await signedIn()).toEqual({ userId: expect.any(String), origin: 'acme' });
  });

  it.each<[string, JWTPayload]>([
    ['of another issuer', { iss: 'https://other.example' }],
    ['for another audience', { aud: 'another' }],
    ['issued to another client', { aud: ['another', CLIENT_ID], azp: 'another' }],
    ['of another authorization', { nonce: 'another' }],
    ['of the future', { iat: 4_000_000_000, exp: 4_000_000_060 }],
  ])('takes no id_token %s', async (_, claims) => {
    issuer.say(claims);
    await expect(signedIn()).rejects.toMatchObject({ code: 'sign_in_failed' });
  });

  it('takes no id_token that no key of the issuer has signed, and ends no session for it', async () => {
    issuer.say({}, 'stranger');
    await expect(signedIn()).rejects.toMatchObject({ code: 'issuer_unavailable' });
  });

  it.each([DISCOVERY, JWKS, TOKEN])('reads no answer without an end from %s', async (path) => {
    issuer.fail(path, 'endless');
    const before = issuer.sent();
    await expect(signedIn()).rejects.toMatchObject({ code: 'issuer_unavailable' });
    expect(issuer.sent() - before).toBeLessThan(16 * MB);
  });

  it('pushes the request where the issuer takes no other, and sends nobody there while it fails', async () => {
    issuer.needPushed();
    const { url, pending } = await acme().begin();
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: CLIENT_ID,
      request_uri: `urn:pushed:${pending.state}`,
    });
    issuer.fail(PUSHED);
    await expect(acme().begin()).rejects.toMatchObject({ code: 'issuer_unavailable' });
  });
});

/** The issuer, which is marked for signing in. */
function acme() {
  const { settings } = issuer;
  const keys = issuerKeys({ ...settings, log: { warn: () => {} }, fetch: outbound.fetch });
  const signIn = { clientId: CLIENT_ID, secretVariable: 'SECRET', scopes: ['openid'] };
  const found = issuerSignIns({
    foreignIssuers: [{ settings: { ...settings, signIn }, keys }],
    publicUrl: 'https://junction.example',
    variable: () => CLIENT_SECRET,
    fetch: outbound.fetch,
  }).get('acme');
  if (found === undefined) throw new Error('No issuer is marked for signing in.');
  return found;
}

/** Signs somebody in who comes back with a code. */
async function signedIn() {
  const { url, pending } = await acme().begin();
  const callback = new URL('https://junction.example/api/auth/sign-in/acme/callback');
  callback.searchParams.set('state', pending.state);
  callback.searchParams.set('code', issuer.codeFor('ada', url));
  return acme().finish(callback, pending);
}
