// Sends requests without the product, as fast as possible: one undici pool, 64 connections, a body of the same size
// and an HMAC for each request. Writes how many it made a second.
import { createHmac, randomUUID } from 'node:crypto';
import { Pool } from 'undici';

const [url = '', requests, dataBytes] = process.argv.slice(2);
const CONNECTIONS = 64;

const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
const data = 'x'.repeat(Number(dataBytes));
const head = { event_type: 'inbox.organized', user_id: randomUUID(), data };
let left = Number(requests);

async function post(): Promise<void> {
  while (left-- > 0) {
    const body = JSON.stringify({ ...head, timestamp: new Date().toISOString(), webhook_id: left });
    const mac = createHmac('sha256', 'secret').update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-service-signature': `sha256=${mac}` };
    const answer = await pool.request({ path: '/hook', method: 'POST', headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`It answered ${answer.statusCode}.`);
  }
}

const beganMs = performance.now();
await Promise.all(Array.from({ length: CONNECTIONS }, post));
process.stdout.write(String((Number(requests) / (performance.now() - beganMs)) * 1_000));
await pool.close();
