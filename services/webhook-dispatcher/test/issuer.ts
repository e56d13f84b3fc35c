import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export const PUBLIC_URL = 'http://localhost:8080';

/** The auth service reduced to its keys: it signs what a test asks for. */
export interface Issuer {
  readonly jwksUrl: string;
  readonly userToken: (
    userId: string,
    options?: { sessionId?: string; ttl?: string },
  ) => Promise<string>;
  readonly serviceToken: (options?: { audience?: string; scope?: string }) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' };
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ keys: [jwk] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const sign = (audience: string, subject: string, claims: object, ttl = '10m') =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'k1' })
      .setIssuer(PUBLIC_URL)
      .setAudience(audience)
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime(ttl)
      .sign(privateKey);

  return {
    jwksUrl: `http://127.0.0.1:${port}/.well-known/jwks.json`,
    userToken: (userId, { sessionId = 'ses_1', ttl } = {}) =>
      sign('junction-api', userId, { sid: sessionId }, ttl),
    serviceToken: ({ audience = 'webhook-dispatcher', scope = 'events:publish' } = {}) =>
      sign(audience, 'cli_producer', { client_id: 'cli_producer', scope }),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
