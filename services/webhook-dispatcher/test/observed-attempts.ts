import { once } from 'node:events';
import type net from 'node:net';
import { afterAll, expect } from '@jest/globals';
import { eventually } from '@junction/testing';
import type { AttemptRecord } from '../src/application/job.js';
import { promisedSender } from './promised-sender.js';

/** The deadline of an attempt that has to miss it; the longer ones are for a machine that is slow. */
const SHORT_MS = [500, 2_000, 8_000, 30_000];
/** Deadline of an attempt that ends by itself. */
export const LONG_MS = 45_000;
const BODY = Buffer.from(`{"data":"${'x'.repeat(200_000)}"}`);

export interface Observed {
  readonly record: AttemptRecord;
  /** Bytes that the receiver could write, including those in the buffers of the kernel. */
  readonly bytesWritten: number;
}

export interface Attempt {
  readonly server: net.Server;
  readonly result: string;
  readonly status?: number | undefined;
  /** The connection waits for the next request. */
  readonly isKept?: boolean;
  /** The certificate of the authority that the sender trusts: the receiver is asked over TLS. */
  readonly extraCa?: string;
}

/** Sends to receivers, and observes what becomes of the attempts and their connections. */
export function useObservedAttempts() {
  const closing: { close(): unknown }[] = [];
  afterAll(async () => {
    for (const one of closing) await one.close();
  });

  async function attempt(
    { server, extraCa }: Attempt,
    attemptTimeoutMs: number,
  ): Promise<AttemptRecord> {
    const { port } = server.address() as net.AddressInfo;
    const url = `${extraCa === undefined ? 'http' : 'https'}://127.0.0.1:${port}/in`;
    const sender = promisedSender({ allowPrivateTargets: true, attemptTimeoutMs, extraCa });
    closing.push(sender);
    const headers = { 'content-type': 'application/json' };
    return sender.send({ url, headers, body: BODY, startedAt: new Date() });
  }

  async function listening(server: net.Server): Promise<readonly net.Socket[]> {
    const sockets: net.Socket[] = [];
    server.on('connection', (socket: net.Socket) => {
      sockets.push(socket.on('error', () => {}));
    });
    server.on('secureConnection', (socket: net.Socket) => void socket.on('error', () => {}));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push({
      close() {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    return sockets;
  }

  return async (one: Attempt): Promise<Observed> => {
    const sockets = await listening(one.server);
    if (one.result !== 'timeout') {
      const record = await attempt(one, LONG_MS);
      if (!one.isKept) await eventually(() => expect(stillOpen(sockets)).toBe(0));
      return { record, bytesWritten: bytesOf(sockets) };
    }
    for (const deadlineMs of SHORT_MS) {
      const record = await attempt(one, deadlineMs);
      await eventually(() => expect(stillOpen(sockets)).toBe(0));
      const isReached = record.httpStatus === (one.status ?? null);
      if (isReached) return { record, bytesWritten: bytesOf(sockets) };
    }
    throw new Error('The receiver was not reached within any deadline.');
  };
}

const bytesOf = (sockets: readonly net.Socket[]): number =>
  sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0);

/** Counts open connections. Each is read first: without reading, a receiver does not see the end of its connection. */
const stillOpen = (sockets: readonly net.Socket[]): number =>
  sockets.filter((socket) => !socket.resume().closed).length;
