// An OAuth provider in a process of its own, as thin as can be, so that it is not what is measured: it consents
// for everybody, a nonce is its code, and a refresh token is good once. With --introspection it can be asked
// about refresh tokens.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answered, Question } from './provider.js';

const SECOND_MS = 1_000;
const LIFETIME_S = 3_600;

/** Refresh tokens that are good, with the account they are about. */
const good = new Map<string, string>();
let introspections = 0;
let refreshes = 0;
let refused = 0;
let issuer = '';

const description = () => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  revocation_endpoint: `${issuer}/revoke`,
  ...(process.argv.includes('--introspection') && {
    introspection_endpoint: `${issuer}/introspect`,
  }),
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
});

function newTokens(account: string): object {
  const refreshToken = randomUUID();
  good.set(refreshToken, account);
  return {
    access_token: randomUUID(),
    refresh_token: refreshToken,
    token_type: 'bearer',
    expires_in: LIFETIME_S,
    scope: 'mailbox.readonly mailbox.send mailbox.modify',
  };
}

/** Nobody checks its signature: it comes straight from the provider. */
function idToken(sub: string, nonce: string, aud: string): string {
  const iat = Math.floor(Date.now() / SECOND_MS);
  const claims = { iss: issuer, aud, sub, nonce, iat, exp: iat + LIFETIME_S };
  const parts = [JSON.stringify({ alg: 'RS256' }), JSON.stringify(claims), 'none'];
  return parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
}

function tokenAnswer(asked: URLSearchParams, clientId: string): object | undefined {
  if (asked.get('grant_type') === 'authorization_code') {
    const account = randomUUID();
    const id_token = idToken(account, asked.get('code') ?? '', clientId);
    return { ...newTokens(account), id_token };
  }
  const used = asked.get('refresh_token') ?? '';
  const account = good.get(used);
  if (account === undefined) return undefined;
  good.delete(used);
  refreshes++;
  return newTokens(account);
}

function takeBack(account: string): void {
  for (const [token, owner] of good) if (owner === account) good.delete(token);
}

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const asked = new URLSearchParams(Buffer.concat(chunks).toString());
  res.setHeader('content-type', 'application/json');
  if (req.url === '/revoke') {
    good.delete(asked.get('token') ?? '');
    res.end();
    return;
  }
  if (req.url === '/introspect') {
    introspections++;
    res.end(JSON.stringify({ active: good.has(asked.get('token') ?? '') }));
    return;
  }
  if (req.url !== '/token') {
    res.end(JSON.stringify(description()));
    return;
  }
  const basic = Buffer.from(req.headers.authorization?.split(' ')[1] ?? '', 'base64').toString();
  // RFC 6749, section 2.3.1: the client's name is encoded as in a form.
  const tokens = tokenAnswer(asked, decodeURIComponent(basic.split(':')[0] ?? ''));
  if (tokens === undefined) {
    refused++;
    res.statusCode = 400;
  }
  res.end(JSON.stringify(tokens ?? { error: 'invalid_grant' }));
}

const server = createServer((req, res) => {
  answer(req, res).catch(() => res.destroy());
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

process.on('message', ({ revoke }: Question) => {
  if (revoke !== undefined) takeBack(revoke);
  process.send?.({ introspections, refreshes, refused } satisfies Answered);
});
process.on('disconnect', () => process.exit(0));
process.send?.(issuer);
