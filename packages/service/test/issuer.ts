import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { serve } from './loopback.js';

export const ISSUER = 'https://junction.example';
export const USER_ID = '0f3c1c1e-6f0e-4a53-9d0c-0d8a3c3b7f11';
export const SESSION_ID = 'ses_018f2d3e-7b1a-7c00-8000-000000000001';
export const PORTAL_ID = 'ptl_018f2d3e-7b1a-7c00-8000-000000000002';

export interface TokenShape {
  readonly audience?: string;
  readonly issuer?: string;
  readonly typ?: string;
  readonly alg?: string;
  readonly kid?: string;
  readonly expiresIn?: string | number;
  readonly claims?: JWTPayload;
}

/** Creates an authorization server reduced to its keys: it signs any claims, right or wrong. */
export async function issuer() {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' };
  let requests = 0;
  let up = true;
  const url = await serve((_req, res) => {
    requests += 1;
    res.writeHead(up ? 200 : 500, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ keys: [jwk] }));
  });

  const sign = (shape: TokenShape, claims: JWTPayload): Promise<string> =>
    new SignJWT({ ...claims, ...shape.claims })
      .setProtectedHeader({
        alg: shape.alg ?? 'EdDSA',
        typ: shape.typ ?? 'at+jwt',
        kid: shape.kid ?? 'k1',
      })
      .setIssuer(shape.issuer ?? ISSUER)
      .setAudience(shape.audience ?? 'junction-api')
      .setIssuedAt()
      .setExpirationTime(shape.expiresIn ?? '10m')
      .sign(privateKey);

  return {
    jwksUrl: `${url}/.well-known/jwks.json`,
    requests: () => requests,
    break: () => {
      up = false;
    },
    userToken: (shape: TokenShape = {}) => sign(shape, { sub: USER_ID, sid: SESSION_ID }),
    portalToken: (scope: string, shape: TokenShape = {}) =>
      sign(
        { audience: 'junction-portal', ...shape },
        { sub: USER_ID, client_id: 'cli_1', portal_id: PORTAL_ID, scope },
      ),
    serviceToken: (shape: TokenShape & { scope?: string } = {}) =>
      sign(
        { audience: 'auth', ...shape },
        { sub: 'cli_1', client_id: 'cli_1', scope: shape.scope ?? 'credentials:verify' },
      ),
  };
}
