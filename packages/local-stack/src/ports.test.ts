import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort, requireFreePort } from './ports.js';

const kafka = { server: 'Kafka', variable: 'KAFKA_PORT' };
let server: net.Server;
let port: number;

beforeEach(async () => {
  port = await freePort();
  server = net.createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => void server.close());

describe('a port that a server is meant to have', () => {
  it('is refused when it is in use, with the variable that moves the server', async () => {
    await expect(requireFreePort(port, kafka)).rejects.toThrow(
      `Port ${port}, meant for Kafka, is in use by another program. ` +
        'Stop that program, or set KAFKA_PORT to another port.',
    );
  });

  it('is waited for while it is being given up', async () => {
    const waiting = requireFreePort(port, kafka);
    server.close();
    await expect(waiting).resolves.toBeUndefined();
  });
});
