import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import { closeLater, closeOpened, until } from '../../test/loopback.js';
import { closeHttp, drainHttp, listenHttp, portOf } from './listen.js';

afterEach(closeOpened);

it('takes as long a head as the gateways pass on', async () => {
  const { server } = await open();
  const headers = { cookie: 'x'.repeat(32_000), authorization: 'y'.repeat(32_000) };
  expect((await fetch(`http://127.0.0.1:${portOf(server)}/`, { headers })).status).toBe(200);
});

describe('a server that is about to close', () => {
  it('serves on, and asks every client to come back on another connection', async () => {
    const { server, get } = await open();
    expect((await get('/')).headers.get('connection')).toBe('keep-alive');
    drainHttp(server);
    expect((await get('/')).headers.get('connection')).toBe('close');
  });

  it('asks so as well in the answer it was working on', async () => {
    const { server, get, slow } = await open();
    const answer = get('/slow');
    await until(() => slow.waiting);
    drainHttp(server);
    slow.finish();
    expect((await answer).headers.get('connection')).toBe('close');
  });
});

describe('closing', () => {
  it('lets the request in flight finish, and lets no other in', async () => {
    const { server, get, slow } = await open();
    const answer = get('/slow');
    await until(() => slow.waiting);

    const closed = closeHttp(server);
    await until(() => !server.listening);
    await expect(get('/')).rejects.toThrow('fetch failed');

    slow.finish();
    expect((await answer).status).toBe(200);
    await closed;
  });

  it('while a balancer still sends requests, refuses those it may repeat elsewhere and serves the rest', async () => {
    let nowMs = 0;
    const { server, get, post } = await open(() => nowMs);
    await connected(server);
    const closed = closeHttp(server);
    await expect(get('/')).rejects.toThrow('fetch failed');
    expect(server.listening).toBe(true);
    expect((await post('/')).status).toBe(200);
    nowMs += 200; // nobody has come for a while
    await closed;
    expect(server.listening).toBe(false);
  });

  it('does not wait for one that does not stop', async () => {
    const { server, post } = await open();
    const closed = closeHttp(server);
    let answers = 0;
    for (let isOpen = true; isOpen; ) {
      await post('/').then(
        () => answers++,
        () => (isOpen = false),
      );
    }
    await closed;
    expect(answers).toBeGreaterThan(1);
  });

  it('answers the request that is just arriving', async () => {
    const { server } = await open();
    const client = await connected(server);
    client.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => client.heard().includes('200 OK'));
    client.socket.write('GET / HTTP/1.1\r\nHo');
    await until(() => client.arrived() > 30);

    const closed = closeHttp(server);
    await until(() => !server.listening);
    client.socket.write('st: x\r\n\r\n');
    await closed;
    await until(client.ended);
    const [, second] = client.heard().split('200 OK').slice(1);
    expect(second).toMatch(/connection: close/i);
  });

  it('answers a request on a connection that was opened a moment ago', async () => {
    const { server } = await open();
    const { socket, heard } = await connected(server);
    const closed = closeHttp(server);
    await until(() => !server.listening);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await closed;
    await until(() => heard().includes('200 OK'));
    expect(heard()).toMatch(/connection: close/i);
  });

  it('waits neither for a kept-alive connection nor for one that never asked anything', async () => {
    const { server } = await open();
    const silent = await connected(server);
    const keptAlive = await connected(server);
    keptAlive.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => keptAlive.heard().includes('200 OK'));

    const cut = jest.spyOn(server, 'closeAllConnections');
    await closeHttp(server);
    expect(cut).not.toHaveBeenCalled();
    await until(() => silent.ended() && keptAlive.ended());
  });

  it('cuts what has not finished after four seconds', async () => {
    const { server, get, slow } = await open();
    const answer = get('/slow');
    await until(() => slow.waiting);
    await Promise.all([closeHttp(server), expect(answer).rejects.toThrow('fetch failed')]);
  });
});

it('tells when a port is taken', async () => {
  const { server } = await open();
  const taken = listenHttp(express(), { host: '127.0.0.1', port: portOf(server) });
  await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

async function open(clock = () => performance.now()) {
  const slow = { waiting: false, finish: () => {} };
  const app = express();
  app.all('/', (_req, res) => void res.json({}));
  app.get('/slow', (_req, res) => {
    slow.waiting = true;
    slow.finish = () => void (res.headersSent || res.json({}));
  });
  const server = await listenHttp(app, { host: '127.0.0.1', port: 0, clock });
  const url = `http://127.0.0.1:${portOf(server)}`;
  closeLater(async () => {
    slow.finish();
    if (server.listening) await closeHttp(server);
  });
  return {
    server,
    slow,
    get: async (path: string) => fetch(url + path),
    post: async (path: string) => fetch(url + path, { method: 'POST' }),
  };
}

/** Connects a client that writes raw text, and counts what the server has read of it. */
async function connected(server: Server) {
  const accepted = new Promise<Socket>((resolve) => {
    server.once('connection', resolve);
  });
  const socket = connect(portOf(server), '127.0.0.1');
  let heard = '';
  let ended = false;
  socket.on('data', (chunk) => {
    heard += chunk.toString();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    ended = true;
  });
  closeLater(async () => socket.destroy());
  const theirs = await accepted;
  return { socket, heard: () => heard, ended: () => ended, arrived: () => theirs.bytesRead };
}
