import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TrustedIssuer } from '@junction/service/process';
import { listening } from '@junction/testing';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

export const CLIENT_ID = 'junction-dashboard';

/** An OpenID issuer reduced to its discovery, keys and tokens. Nobody signs in at it: a test says who comes back. */
export interface ForeignIssuer {
  readonly settings: TrustedIssuer;
  /** Requests by their path. */
  readonly asked: (path: string) => number;
  /** From now on it answers this path with 503, cuts the line, or sends text without an end. */
  readonly fail: (path: string, how?: Fault) => void;
  /** Claims of its next id_tokens beside its own, and the key that signs them: `stranger` is not published. */
  readonly say: (claims: JWTPayload, by?: Signer) => void;
  readonly recover: () => void;
  /** From now on it takes pushed authorization requests alone (RFC 9126). */
  readonly needPushed: () => void;
  /** Bytes of text without an end that were taken of it. */
  readonly sent: () => number;
  /** The code that it gives a browser in which somebody is signed in. */
  readonly codeFor: (sub: string, authorizationUrl: URL) => string;
  readonly close: () => Promise<void>;
}

export const DISCOVERY = '/.well-known/openid-configuration';
export const TOKEN = '/token';
export const PUSHED = '/par';
export const JWKS = '/jwks';
export const CLIENT_SECRET = 'a secret of thirty-two characters';

interface Right {
  readonly status: number;
  readonly body: object;
}

type Fault = '503' | 'cut' | 'endless';
type Signer = 'RS256' | 'ES256' | 'secret' | 'stranger';

export async function startForeignIssuer(): Promise<ForeignIssuer> {
  const keys = {
    RS256: await generateKeyPair('RS256'),
    ES256: await generateKeyPair('ES256'),
    stranger: await generateKeyPair('RS256'),
  };
  const published = await Promise.all(
    (['RS256', 'ES256'] as const).map(async (alg) => exportJWK(keys[alg].publicKey)),
  );
  const asked: string[] = [];
  let needsPushed = false;
  let sent = 0;
  let fault: { readonly path: string; readonly how: Fault } | undefined;
  let said: { readonly claims: JWTPayload; readonly by: Signer } = { claims: {}, by: 'RS256' };
  const { url: issuer, close } = await listening(createServer((req, res) => void answer(req, res)));

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = req.url ?? '';
    asked.push(path);
    const right = await (answers.get(path) ?? discovery)(req);
    const how = fault?.path === path ? fault.how : 'right';
    if (how === 'cut') {
      req.socket.destroy();
      return;
    }
    if (how === 'endless') {
      const write = (): void => {
        while (!res.destroyed && res.write(' '.repeat(64 * 1_024))) sent += 64 * 1_024;
      };
      res.on('drain', write).writeHead(200, { 'content-type': 'application/json' });
      write();
      return;
    }
    res.writeHead(how === '503' ? 503 : right.status, { 'content-type': 'application/json' });
    res.end(JSON.stringify(how === '503' ? {} : right.body));
  }

  const answers = new Map([
    [TOKEN, tokens],
    [PUSHED, pushed],
    [JWKS, async (): Promise<Right> => ({ status: 200, body: { keys: published } })],
  ]);

  const discovery = () => ({
    status: 200,
    body: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}${TOKEN}`,
      jwks_uri: `${issuer}${JWKS}`,
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
    const { by, claims } = said;
    const alg = by === 'secret' ? 'HS256' : by === 'ES256' ? 'ES256' : 'RS256';
    const key = by === 'secret' ? Buffer.from(CLIENT_SECRET) : keys[by].privateKey;
    const iat = Math.floor(Date.now() / 1_000);
    const usual = { iss: issuer, aud: CLIENT_ID, iat, exp: iat + 600 };
    const idToken = await new SignJWT({ ...usual, ...JSON.parse(code), ...claims })
      .setProtectedHeader({ alg })
      .sign(key);
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
    say: (claims, by = 'RS256') => {
      said = { claims, by };
    },
    recover: () => {
      fault = undefined;
      needsPushed = false;
      said = { claims: {}, by: 'RS256' };
    },
    needPushed: () => {
      needsPushed = true;
    },
    sent: () => sent,
    codeFor: (sub, { searchParams }) => JSON.stringify({ sub, nonce: searchParams.get('nonce') }),
    close,
  };
}
