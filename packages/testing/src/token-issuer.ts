import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { listening } from './listening.js';

const KEY_ID = 'k1';
const TTL_S = 600;

/** The auth service reduced to its keys: it signs what a test asks for. */
export interface TokenIssuer {
  readonly jwksUrl: string;
  /** A gRPC server that lets everybody in and answers nobody. */
  readonly grpcAddress: string;
  /** Makes a token as a user gets it; `ttlS` may be negative. */
  userToken(
    userId: string,
    options?: {
      readonly sessionId?: string;
      readonly ttlS?: number;
      /** Besides: a role, when a second factor was shown. */
      readonly claims?: object;
    },
  ): string;
  /** Makes a token as a service gets it for one other service; `scope` holds scopes with blanks between. */
  serviceToken(audience: string, scope: string): string;
  close(): Promise<void>;
}

/** Issues access tokens (RFC 9068) in the name of `issuer`, and serves the key to check them with. */
export async function startTokenIssuer(issuer: string): Promise<TokenIssuer> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'EdDSA', use: 'sig' };
  const server = await listening(
    createServer((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ keys: [jwk] }));
    }),
  );
  const grpc = await silentHttp2();

  const token = (claims: object, ttlS = TTL_S): string => {
    const iat = Math.floor(Date.now() / 1_000);
    const payload = { iss: issuer, iat, exp: iat + ttlS, jti: randomUUID(), ...claims };
    const header = { alg: 'EdDSA', typ: 'at+jwt', kid: KEY_ID };
    const text = [header, payload].map((part) => base64url(JSON.stringify(part))).join('.');
    return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
  };

  return {
    jwksUrl: `${server.url}/.well-known/jwks.json`,
    grpcAddress: grpc.address,
    userToken: (sub, { sessionId: sid = 'ses_1', ttlS, claims } = {}) =>
      token({ aud: 'junction-api', sub, sid, ...claims }, ttlS),
    serviceToken: (aud, scope) => token({ aud, sub: 'cli_1', client_id: 'cli_1', scope }),
    async close() {
      await Promise.all([server.close(), grpc.close()]);
    },
  };
}

async function silentHttp2() {
  const sessions = new Set<ServerHttp2Session>();
  const server = createHttp2Server().on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  const { port, close } = await listening(server);
  return {
    address: `127.0.0.1:${port}`,
    async close() {
      const closed = close();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');
