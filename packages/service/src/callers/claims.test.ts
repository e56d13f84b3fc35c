import { describe, expect, it } from '@jest/globals';
import { wrongClaims } from '@junction/testing';
import { CompactSign, generateKeyPair } from 'jose';
import { ISSUER, SESSION_ID, USER_ID } from '../../test/issuer.js';
import type { PublishedKeys } from '../outbound/published-keys.js';
import { withForeignIssuers } from './foreign/foreign-users.js';
import { tokenVerifier } from './token-verifier.js';

const FOREIGN = 'https://acme.example';
const NOW_S = Math.floor(Date.now() / 1_000);
const pair = generateKeyPair('EdDSA', { crv: 'Ed25519' });
const keys = async () => (await pair).publicKey;

const REGISTERED = {
  iss: 'text',
  sub: 'text',
  aud: 'texts',
  exp: 'time',
  nbf: 'time',
  iat: 'time',
  jti: 'text',
} as const;
const times = { iat: NOW_S, exp: NOW_S + 600, jti: 'token-1' };

const verifierOf = (kind: 'user' | 'portal' | 'service') =>
  tokenVerifier({ keys, issuer: ISSUER, audience: kind, kind });

const KINDS = {
  user: {
    verify: verifierOf('user'),
    claims: { iss: ISSUER, aud: 'user', sub: USER_ID, sid: SESSION_ID, ...times },
    own: {
      sid: 'text',
      scope: 'scope',
      role: 'text',
      amr: 'list',
      auth_time: 'time',
      mfa_at: 'time',
    },
  },
  portal: {
    verify: verifierOf('portal'),
    claims: { iss: ISSUER, aud: 'portal', sub: USER_ID, client_id: 'cli_1', ...times },
    own: { client_id: 'text', portal_id: 'text', scope: 'scope', sid: 'text' },
  },
  service: {
    verify: verifierOf('service'),
    claims: { iss: ISSUER, aud: 'service', sub: 'cli_1', client_id: 'cli_1', ...times },
    own: { client_id: 'text', scope: 'scope', sid: 'text' },
  },
  "trusted issuer's user": {
    verify: trusted(undefined),
    claims: { iss: FOREIGN, aud: 'junction-api', sub: 'ada', ...times },
    own: { scope: 'scope', scp: 'scope' },
  },
  "trusted issuer's user named by another claim": {
    verify: trusted('junction_id'),
    claims: { iss: FOREIGN, aud: 'junction-api', sub: 'ada', junction_id: USER_ID, ...times },
    own: { junction_id: 'text' },
  },
} as const;

describe.each(Object.entries(KINDS))(
  'a genuine token of a %s',
  (_kind, { verify, claims, own }) => {
    it('is taken', async () => {
      await expect(verify(await signed(claims))).resolves.toBeDefined();
    });

    it.each(wrongClaims({ ...REGISTERED, ...own }))('is refused with %s', async (_, wrong) => {
      const token = await signed({ ...claims, ...wrong });
      await expect(verify(token)).rejects.toMatchObject({ code: 'invalid_token' });
    });

    it.each(wrongClaims({ typ: 'text', kid: 'text' }))('is refused with %s', async (_, wrong) => {
      const token = await signed(claims, wrong);
      await expect(verify(token)).rejects.toMatchObject({ code: 'invalid_token' });
    });
  },
);

function trusted(userIdClaim: string | undefined) {
  const settings = {
    id: 'acme',
    displayName: 'Acme',
    issuer: FOREIGN,
    audience: 'junction-api',
    algorithms: ['EdDSA'],
    userIdClaim,
    requiredScopes: [],
    signIn: undefined,
  };
  const published: PublishedKeys = { with: async (use) => use({ keys: [], find: keys }) };
  return withForeignIssuers(verifierOf('user'), [{ settings, keys: published }]);
}

async function signed(claims: object, header: object = {}): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1', ...header })
    .sign((await pair).privateKey);
}
