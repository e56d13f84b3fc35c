// The endpoints of users, in a process of their own: one that answers at once, one that does so over TLS, and one that
// takes everything and never answers. The first two answer late where the path begins with `/<median>ms/`. All are as
// thin as can be, so that they are not what is measured. The arguments are a key and its certificate.
import { once } from 'node:events';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { nowMs } from '../clock.js';
import { answerMs } from './answer-times.js';
import type { Ports, Question, Seen } from './receiver.js';

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const LENGTH = /content-length: (\d+)/i;
const SENT_AT = /"sent_at":([\d.]+)/;
const MESSAGE_ID = /webhook-id: (\S+)/;
const MEDIAN_MS = /^POST \/(\d+)ms\//;

const [key = '', cert = ''] = process.argv.slice(2);

let keep: Extract<Question, { ask: 'reset' }>['keep'];
let count = 0;
let firstMs = 0;
let lastMs = 0;
let latenciesMs: number[] = [];
let ids = new Set<string>();
let heldMs = 0;

function received(head: string, body: Buffer): void {
  const sentAt = keep ? SENT_AT.exec(body.toString('latin1'))?.[1] : undefined;
  // Retries that only make load are not what is measured.
  if (keep && sentAt === undefined) return;
  lastMs = nowMs();
  firstMs ||= lastMs;
  count++;
  if (!keep) return;
  ids.add(MESSAGE_ID.exec(head)?.[1] ?? '');
  if (keep === 'latencies') latenciesMs.push(lastMs - Number(sentAt));
}

function onSocket(socket: Socket): void {
  let bytes: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    for (;;) {
      const headEnd = bytes.indexOf(END_OF_HEAD);
      if (headEnd === -1) return;
      const head = bytes.toString('latin1', 0, headEnd);
      const bodyAt = headEnd + END_OF_HEAD.length;
      const end = bodyAt + Number(LENGTH.exec(head)?.[1] ?? 0);
      if (bytes.length < end) return;
      received(head, bytes.subarray(bodyAt, end));
      bytes = bytes.subarray(end);
      const median = MEDIAN_MS.exec(head)?.[1];
      if (median === undefined) socket.write(ANSWER);
      else answerLater(socket, Number(median));
    }
  });
}

function answerLater(socket: Socket, medianMs: number): void {
  const cameMs = nowMs();
  setTimeout(() => {
    heldMs += nowMs() - cameMs;
    socket.write(ANSWER);
  }, answerMs(medianMs));
}

function onHungSocket(socket: Socket): void {
  socket.on('error', () => socket.destroy());
  socket.resume();
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const ports: Ports = {
  plain: await portOf(net.createServer(onSocket)),
  tls: await portOf(tls.createServer({ key, cert }, onSocket)),
  hung: await portOf(net.createServer(onHungSocket)),
};

process.on('message', (question: Question) => {
  if (question.ask === 'reset') {
    ({ keep } = question);
    [count, firstMs, lastMs, heldMs] = [0, 0, 0, 0];
    latenciesMs = [];
    ids = new Set();
  }
  const seen: Seen = { count, firstMs, lastMs, latenciesMs, distinct: ids.size, heldMs };
  process.send?.(seen);
});
process.on('disconnect', () => process.exit(0));
process.send?.(ports);
