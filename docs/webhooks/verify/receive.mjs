// Receives webhooks and verifies them: WEBHOOK_SECRET=… node receive.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET: secret = '', PORT = '3000' } = process.env;
const isEncoded = secret.startsWith('whsec_');
const key = isEncoded ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
if (key.length === 0) throw new Error('Set WEBHOOK_SECRET.');

function isSigned(headers, body) {
  const timestamp = headers['webhook-timestamp'];
  // A request that somebody caught is worthless five minutes later.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const mac = createHmac('sha256', key).update(`${headers['webhook-id']}.${timestamp}.`);
  const wanted = Buffer.from(`v1,${mac.update(body).digest('base64')}`);
  return String(headers['webhook-signature'])
    .split(' ')
    .map((text) => Buffer.from(text))
    .some((sent) => sent.length === wanted.length && timingSafeEqual(sent, wanted));
}

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
