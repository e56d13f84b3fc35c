// An OAuth provider in a process of its own, as thin as can be, so that it is not what is measured: it consents
// for everybody, a nonce is its code, and whatever it is asked for it grants, but for refreshes once it is told so.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const SECOND_MS = 1_000;
const LIFETIME_S = 3_600;

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const KEY_ID = 'one';
const keys = {
  keys: [{ ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }],
};

let issuer = '';
let refusesRefreshes = false;

const description = () => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  revocation_endpoint: `${issuer}/revoke`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
});

const tokens = (nonce: string | null, clientId: string) => ({
  access_token: randomUUID(),
  refresh_token: randomUUID(),
  ...(nonce !== null && { id_token: idToken(nonce, clientId) }),
  token_type: 'bearer',
  expires_in: LIFETIME_S,
  scope: 'mailbox.readonly mailbox.send mailbox.modify',
});

function idToken(nonce: string, aud: string): string {
  const iat = Math.floor(Date.now() / SECOND_MS);
  const claims = { iss: issuer, aud, sub: randomUUID(), nonce, iat, exp: iat + LIFETIME_S };
  const signed = [{ alg: 'RS256', kid: KEY_ID }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  res.setHeader('content-type', 'application/json');
  if (req.url === '/revoke') {
    res.end();
    return;
  }
  if (req.url !== '/token') {
    res.end(JSON.stringify(req.url === '/jwks' ? keys : description()));
    return;
  }
  const basic = Buffer.from(req.headers.authorization?.split(' ')[1] ?? '', 'base64').toString();
  // RFC 6749, section 2.3.1: the client's name is encoded as in a form.
  const clientId = decodeURIComponent(basic.split(':')[0] ?? '');
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  if (refusesRefreshes && form.get('grant_type') === 'refresh_token') {
    res.writeHead(400).end(JSON.stringify({ error: 'invalid_grant' }));
    return;
  }
  res.end(JSON.stringify(tokens(form.get('code'), clientId)));
}

const server = createServer((req, res) => {
  answer(req, res).catch(() => res.destroy());
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

process.on('message', (message: { readonly refusesRefreshes: boolean }) => {
  ({ refusesRefreshes } = message);
  process.send?.({});
});
process.on('disconnect', () => process.exit(0));
process.send?.(issuer);
