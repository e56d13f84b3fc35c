// Sends requests without the product, as fast as possible: one undici pool, 64 connections, a body of the same size
// and an HMAC for each request; or, as the floor, one body for all requests and no HMAC. Processor time is counted from
// when a portion of the requests is made, as for the dispatcher. Writes its BareRun as JSON.
import { createHmac, randomUUID } from 'node:crypto';
import { Pool } from 'undici';

const [url = '', requests, dataBytes, warmAfter, kind] = process.argv.slice(2);
const CONNECTIONS = 64;

const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
const data = 'x'.repeat(Number(dataBytes));
const head = { event_type: 'inbox.organized', user_id: randomUUID(), data };
let left = Number(requests);
const counted = Math.floor(left * (1 - Number(warmAfter)));
let usedBefore = process.cpuUsage();
const fixed = requestWith(left);

function requestWith(n: number) {
  const body = JSON.stringify({ ...head, timestamp: new Date().toISOString(), webhook_id: n });
  const mac = createHmac('sha256', 'secret').update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-service-signature': `sha256=${mac}` };
  return { path: '/hook', method: 'POST', headers, body } as const;
}

async function post(): Promise<void> {
  while (left-- > 0) {
    if (left === counted - 1) usedBefore = process.cpuUsage();
    const answer = await pool.request(kind === 'floor' ? fixed : requestWith(left));
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`It answered ${answer.statusCode}.`);
  }
}

const beganMs = performance.now();
await Promise.all(Array.from({ length: CONNECTIONS }, post));
const seconds = (performance.now() - beganMs) / 1_000;
const { user, system } = process.cpuUsage(usedBefore);
const cpuPer10k = ((user + system) / 1e6 / counted) * 10_000;
process.stdout.write(JSON.stringify({ perS: Number(requests) / seconds, cpuPer10k }));
await pool.close();
