import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { closeLater } from './loopback.js';

/** Listener that accepts no connection until `answer` is called. */
export interface FarListener {
  readonly port: number;
  /** Answers SYNs from now on; a SYN that was lost comes again a second after it was sent. */
  answer(): void;
}

const BACKLOG = 1;
/** The kernel lets one more in than the backlog says. */
const FILLING = BACKLOG + 1;

const LISTENING = `
  const { createServer } = require('node:net');
  const { parentPort, workerData: { host, port, gate, backlog } } = require('node:worker_threads');
  const server = createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 204 None\\r\\n\\r\\n'));
  server.listen({ host, port, backlog }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(gate, 0, 0);
  });
`;

/**
 * Opens a listener that seems far or away: its thread stands still and its backlog is full, so the kernel answers no
 * SYN.
 */
export async function farListener(host: string, port = 0): Promise<FarListener> {
  const gate = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const answer = () => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  const workerData = { host, port, gate, backlog: BACKLOG };
  const worker = new Worker(LISTENING, { eval: true, workerData });
  const [listening] = (await once(worker, 'message')) as [number];
  const filling: Socket[] = [];
  for (let n = 0; n < FILLING; n++) {
    const socket = connect({ host, port: listening });
    filling.push(socket.on('error', () => {}));
    await once(socket, 'connect');
  }
  closeLater(async () => {
    answer();
    for (const socket of filling) socket.destroy();
    await worker.terminate();
  });
  return { port: listening, answer };
}
