import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { freePort } from '../process/ports.js';
import { inWords, portMistake } from './ports.mjs';

const A_LONG_START_MS = 3_600_000;
const kafka = { server: 'Kafka', variable: 'KAFKA_PORT' };
// Linux has all of 127.0.0.0/8 but not always IPv6; macOS the other way round.
const ANOTHER_LOOPBACK = process.platform === 'linux' ? '127.0.0.2' : '::1';
// Linux alone shows who listens.
const US = process.platform === 'linux' ? `process ${process.pid} (` : 'another program';
let server: net.Server;
let port: number;

beforeEach(async () => {
  port = await freePort();
  server = net.createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => void server.close());

it('a free port is refused to every other process, however long its server takes to start', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  const kept = await freePort();
  jest.advanceTimersByTime(A_LONG_START_MS);
  jest.useRealTimers();
  const other = createSocket('udp4').bind(kept, '127.0.0.1');
  await expect(once(other, 'listening')).rejects.toMatchObject({ code: 'EADDRINUSE' });
  other.close();
});

describe('a port that a server is meant to have', () => {
  it('is refused when it is in use, with who uses it and the variables that move the server', async () => {
    const message = await portMistake(port, kafka);
    expect(message).toContain(`Port ${port}, meant for Kafka, is in use by ${US}`);
    expect(message).toContain('. Stop it, or set KAFKA_PORT to another port.');
  });

  it('is refused to a server of all addresses when one of them is in use', async () => {
    server.close();
    await once(server, 'close');
    const elsewhere = net.createServer().listen(port, ANOTHER_LOOPBACK);
    await once(elsewhere, 'listening');
    const everywhere = { server: 'gateway', variable: 'GATEWAY_PORT', everywhere: true };
    expect(await portMistake(port, everywhere)).toContain(`in use by ${US}`);
    expect(await portMistake(port, kafka)).toBeUndefined();
    elsewhere.close();
  });

  it('is refused in words of its own when only the administrator may have it', () => {
    expect(inWords('EACCES', 'GATEWAY_PORT')).toBe(
      'cannot be listened on (EACCES). Set GATEWAY_PORT to another port.',
    );
  });

  it('is waited for while it is being given up', async () => {
    const waiting = portMistake(port, kafka);
    server.close();
    expect(await waiting).toBeUndefined();
  });
});
