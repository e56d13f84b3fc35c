import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { answering, flooding, OK, type RawReceiver } from './raw-receivers.js';
import { type NewWebhook, useWorld } from './world.js';

const DEADLINE_MS = 4_000;
const world = useWorld(() => ({ WEBHOOK_ATTEMPT_TIMEOUT_S: String(DEADLINE_MS / 1_000) }));
const LONG = { deadlineMs: 90_000 };
const RECEIVERS = 16;
const EVENTS = 3;
const MB = 1_024 * 1_024;
/** Bodies that were kept would be gigabytes; what is really kept of them is 16 KiB each. */
const GROWTH_MAX_MB = 150;
const LOOK_EVERY_MS = 100;

const MANY_BYTES = 1_000_000_000;
const CHUNK = Buffer.alloc(64 * 1_024, 'x');
/** A gigabyte of zeros, in members of 20 MB one after the other: RFC 1952, section 2.2. */
const BOMB = Buffer.concat(Array.from({ length: 50 }, () => gzipSync(Buffer.alloc(20 * MB))));
const ofLength = (bytes: number) => `${OK}content-length: ${bytes}\r\n`;

const HOSTILE: readonly (readonly [what: string, result: string, RawReceiver])[] = [
  ['a body without end', 'succeeded', flooding(`${OK}\r\n`, CHUNK)],
  ['a body of 1 GB', 'succeeded', flooding(`${ofLength(MANY_BYTES)}\r\n`, CHUNK, MANY_BYTES)],
  [
    'a gzip bomb',
    'succeeded',
    answering(`${ofLength(BOMB.length)}content-encoding: gzip\r\n\r\n`, BOMB),
  ],
  ['a body that stops', 'timeout', answering(`${ofLength(MANY_BYTES)}\r\n`, CHUNK)],
];

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

describe('receivers that send more than anybody wants', () => {
  it('fill no memory, and give their places back at the deadline', async () => {
    const { newWebhook, publish, receiver } = world();
    const well = await newWebhook();
    for (let n = 0; n < EVENTS; n++) await publish(well.userId);
    await eventually(() => expect(receiver.requests).toHaveLength(EVENTS));

    const webhooks = (await Promise.all(HOSTILE.map(toReceivers))).flat();
    const memory = watchMemory();
    closing.push(memory.stop);
    await Promise.all(
      webhooks.flatMap(({ webhook }) =>
        Array.from({ length: EVENTS }, () => publish(webhook.userId)),
      ),
    );
    // Webhooks are awaited one after the other: the next request goes out when the slot of the one before is free
    // again.
    for (const { webhook, result } of webhooks) {
      await eventually(async () => {
        expect(memory.growthMb()).toBeLessThan(GROWTH_MAX_MB);
        expect(await resultsOf(webhook)).toEqual(Array(EVENTS).fill(result));
      }, LONG);
    }
    memory.stop();
  });
});

/** Webhooks that lead there, ordered, with one attempt for each delivery. */
async function toReceivers([, result, receiver]: (typeof HOSTILE)[number]) {
  const url = await serve(receiver);
  const webhooks = Array.from({ length: RECEIVERS }, (_, n) =>
    world().newWebhook({ url: `${url}/${n}`, ordered: true, retry_schedule: [] }),
  );
  return (await Promise.all(webhooks)).map((webhook) => ({ webhook, result }));
}

async function serve(receiver: RawReceiver): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('close', () => sockets.delete(socket));
    receiver(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

/** Reads the result of the only attempt of each delivery. */
async function resultsOf({ userId, webhookId }: NewWebhook): Promise<readonly string[]> {
  const { pool } = world().database;
  const { rows } = await pool.query<{ result: string }>(
    `select a.result from deliveries d join attempts_made a using (day, delivery_id)
      where d.webhook_id = $1 and d.user_id = $2`,
    [webhookId.slice('wh_'.length), userId],
  );
  return rows.map(({ result }) => result);
}

const residentMb = (): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(world().dispatcher.pid())])) / 1_024;

/** Measures by how much the resident memory has ever exceeded the first look. */
function watchMemory() {
  const first = residentMb();
  let most = first;
  const timer = setInterval(() => void (most = Math.max(most, residentMb())), LOOK_EVERY_MS);
  return { growthMb: () => most - first, stop: () => clearInterval(timer) };
}
