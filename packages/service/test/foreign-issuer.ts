import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { serve } from './loopback.js';

export interface ForeignToken {
  readonly typ?: string | undefined;
  readonly kid?: string;
  readonly claims?: JWTPayload;
  readonly expiresIn?: string | number;
}

/** Starts an OpenID issuer reduced to its discovery and its keys. */
export async function foreignIssuer(alg: 'ES256' | 'RS256' = 'ES256') {
  const published: JWK[] = [];
  const newKey = async (kid: string) => {
    const { publicKey, privateKey } = await generateKeyPair(alg);
    published.push({ ...(await exportJWK(publicKey)), kid, alg, use: 'sig' });
    return privateKey;
  };
  const keys = new Map([['f1', await newKey('f1')]]);
  let up = true;
  let asked = 0;
  let described: string | undefined;
  const issuer = await serve((req, res) => {
    asked += 1;
    const isDiscovery = req.url === '/.well-known/openid-configuration';
    res.writeHead(up ? 200 : 503, { 'content-type': 'application/json' });
    const answer = isDiscovery
      ? { issuer: described ?? issuer, jwks_uri: `${issuer}/jwks` }
      : { keys: published };
    res.end(JSON.stringify(up ? answer : {}));
  });

  return {
    issuer,
    asked: () => asked,
    down: () => void (up = false),
    up: () => void (up = true),
    describeAs: (other: string) => void (described = other),
    addKey: async (kid: string) => void keys.set(kid, await newKey(kid)),
    withdraw: (kid: string) =>
      void published.splice(
        published.findIndex((key) => key.kid === kid),
        1,
      ),
    token: async ({
      typ = 'at+jwt',
      kid = 'f1',
      claims = {},
      expiresIn = '10m',
    }: ForeignToken = {}) => {
      const key = keys.get(kid) ?? keys.get('f1');
      if (key === undefined) throw new Error('There is no key.');
      return new SignJWT({
        iss: issuer,
        sub: 'ada',
        aud: 'junction-api',
        scope: 'openid junction',
        ...claims,
      })
        .setProtectedHeader({ alg, kid, ...(typ !== '' && { typ }) })
        .setExpirationTime(expiresIn)
        .sign(key);
    },
  };
}
