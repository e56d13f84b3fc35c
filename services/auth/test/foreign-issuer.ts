import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TrustedIssuer } from '@junction/service/process';
import { generateKeyPair, SignJWT } from 'jose';

export const CLIENT_ID = 'junction-dashboard';

/** An OpenID issuer reduced to its discovery and its tokens. Nobody signs in at it: a test says who comes back. */
export interface ForeignIssuer {
  readonly settings: TrustedIssuer;
  /** Requests by their path. */
  readonly asked: (path: string) => number;
  /** From now on it answers this path with 503, or cuts the line. */
  readonly fail: (path: string, how?: '503' | 'cut') => void;
  readonly recover: () => void;
  /** From now on it takes pushed authorization requests alone (RFC 9126). */
  readonly needPushed: () => void;
  /** The code that it gives a browser in which somebody is signed in. */
  readonly codeFor: (sub: string, authorizationUrl: URL) => string;
  readonly close: () => Promise<void>;
}

export const DISCOVERY = '/.well-known/openid-configuration';
export const TOKEN = '/token';
export const PUSHED = '/par';

interface Right {
  readonly status: number;
  readonly body: object;
}

export async function startForeignIssuer(): Promise<ForeignIssuer> {
  const { privateKey } = await generateKeyPair('RS256');
  const asked: string[] = [];
  let needsPushed = false;
  let fault: { readonly path: string; readonly how: '503' | 'cut' } | undefined;
  const server = createServer((req, res) => void answer(req, res));
  const issuer = await listen(server);

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = req.url ?? '';
    asked.push(path);
    const right = await (answers.get(path) ?? discovery)(req);
    const how = fault?.path === path ? fault.how : 'right';
    if (how === 'cut') {
      req.socket.destroy();
      return;
    }
    res.writeHead(how === '503' ? 503 : right.status, { 'content-type': 'application/json' });
    res.end(JSON.stringify(how === '503' ? {} : right.body));
  }

  const answers = new Map([
    [TOKEN, tokens],
    [PUSHED, pushed],
  ]);

  const discovery = () => ({
    status: 200,
    body: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}${TOKEN}`,
      jwks_uri: `${issuer}/jwks`,
      pushed_authorization_request_endpoint: `${issuer}${PUSHED}`,
      require_pushed_authorization_requests: needsPushed,
    },
  });

  async function pushed(req: IncomingMessage): Promise<Right> {
    const requestUri = `urn:pushed:${new URLSearchParams(await text(req)).get('state')}`;
    return { status: 201, body: { request_uri: requestUri, expires_in: 60 } };
  }

  async function tokens(req: IncomingMessage): Promise<Right> {
    const code = new URLSearchParams(await text(req)).get('code') ?? '';
    if (!code.startsWith('{')) return { status: 400, body: { error: 'invalid_grant' } };
    const idToken = await new SignJWT(JSON.parse(code))
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(issuer)
      .setAudience(CLIENT_ID)
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(privateKey);
    const body = { access_token: 'opaque', token_type: 'Bearer', id_token: idToken };
    return { status: 200, body };
  }

  return {
    settings: {
      id: 'acme',
      displayName: 'Acme',
      issuer,
      audience: 'junction-api',
      algorithms: ['RS256'],
      userIdClaim: undefined,
      requiredScopes: [],
      signIn: { clientId: CLIENT_ID, secretVariable: undefined, scopes: ['openid'] },
    },
    asked: (path) => asked.filter((one) => one === path).length,
    fail: (path, how = '503') => {
      fault = { path, how };
    },
    recover: () => {
      fault = undefined;
    },
    needPushed: () => {
      needsPushed = true;
    },
    codeFor: (sub, { searchParams }) => JSON.stringify({ sub, nonce: searchParams.get('nonce') }),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
