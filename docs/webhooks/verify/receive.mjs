// Receives webhooks and verifies them: WEBHOOK_SECRET=… node receive.mjs
// Signed with ed25519: WEBHOOK_PUBLIC_KEYS='whpk_… whpk_…' WEBHOOK_ID=wh_… node receive.mjs
import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET: secret = '', WEBHOOK_ID, PORT = '3000' } = process.env;
const isEncoded = secret.startsWith('whsec_');
const key = isEncoded ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
const publicKeys = (process.env.WEBHOOK_PUBLIC_KEYS ?? '').match(/whpk_\S+/g)?.map(publicKey) ?? [];
if (publicKeys.length > 0 ? !WEBHOOK_ID : key.length === 0) {
  throw new Error('Set WEBHOOK_SECRET, or WEBHOOK_PUBLIC_KEYS and WEBHOOK_ID.');
}

function publicKey(text) {
  const x = Buffer.from(text.slice(5), 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

function isSigned(headers, body) {
  const timestamp = headers['webhook-timestamp'];
  // A request that somebody caught is worthless five minutes later.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const content = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${timestamp}.`), body]);
  const signatures = headers['webhook-signature']?.match(/v1a?,[^\s,]+/g) ?? [];
  return signatures.some(
    (sent) => isMac(content, sent) || (isPublic(content, sent) && isMine(body)),
  );
}

function isMac(content, sent) {
  const mac = createHmac('sha256', key).update(content).digest('base64');
  const [wanted, given] = [Buffer.from(`v1,${mac}`), Buffer.from(sent)];
  return key.length > 0 && given.length === wanted.length && timingSafeEqual(given, wanted);
}

function isPublic(content, sent) {
  if (!sent.startsWith('v1a,')) return false;
  const signature = Buffer.from(sent.slice(4), 'base64');
  return publicKeys.some((one) => verify(null, content, one, signature));
}

// The public keys verify what is sent to anybody.
const isMine = (body) => JSON.parse(body).webhook_id === WEBHOOK_ID;

async function receive(request, response) {
  const chunks = []; // The bytes as they come: parsing and writing them again changes them.
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > 524_288) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  response.writeHead(isSigned(request.headers, body) ? 200 : 401).end();
  // Answer first, work afterwards, and drop a webhook-id that you have seen.
  if (response.statusCode === 200) console.log(JSON.parse(body).event_type);
}

createServer((request, response) => {
  receive(request, response).catch((error) => response.destroy(error));
}).listen(Number(PORT), '127.0.0.1');
