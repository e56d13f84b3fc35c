// The endpoints of users, in a process of their own: one that answers at once, the same over TLS, and
// one that takes everything and never answers. As thin as can be, so that it is not what is measured.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const SENT_AT = /"sent_at":([\d.]+)/;
const MESSAGE_ID = /webhook-id: (\S+)/;

const nowMs = () => performance.timeOrigin + performance.now();
let seen;
function reset() {
  seen = { count: 0, firstMs: 0, lastMs: 0, latenciesMs: [], ids: new Set(), isMeasuring: false };
}
reset();

function received(head, body) {
  const atMs = nowMs();
  seen.count++;
  seen.firstMs ||= atMs;
  seen.lastMs = atMs;
  if (!seen.isMeasuring) return;
  seen.ids.add(MESSAGE_ID.exec(head)?.[1]);
  const sentAt = SENT_AT.exec(body.toString('latin1'));
  if (sentAt) seen.latenciesMs.push(atMs - Number(sentAt[1]));
}

function onSocket(socket) {
  let bytes = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    for (;;) {
      const headEnd = bytes.indexOf(END_OF_HEAD);
      if (headEnd === -1) return;
      const head = bytes.toString('latin1', 0, headEnd);
      const bodyAt = headEnd + END_OF_HEAD.length;
      const end = bodyAt + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (bytes.length < end) return;
      received(head, bytes.subarray(bodyAt, end));
      bytes = bytes.subarray(end);
      socket.write(ANSWER);
    }
  });
}

const onHungSocket = (socket) => socket.on('error', () => socket.destroy()).resume();

const listening = (server) =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));

const [keyFile, certFile] = process.argv.slice(2);
const certificate = { key: readFileSync(keyFile), cert: readFileSync(certFile) };
const ports = {
  plain: await listening(net.createServer(onSocket)),
  tls: await listening(tls.createServer(certificate, onSocket)),
  hung: await listening(net.createServer(onHungSocket)),
};

process.on('message', ({ ask, measure = false }) => {
  if (ask === 'reset') {
    reset();
    seen.isMeasuring = measure;
  }
  const { ids, ...plain } = seen;
  process.send({ ...plain, distinct: ids.size });
});
process.on('disconnect', () => process.exit(0));
process.send(ports);
