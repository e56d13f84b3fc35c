import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { type PromisedSender, promisedSender } from '../../../test/promised-sender.js';
import { OK } from '../../../test/raw-receivers.js';

const ANSWER = `${OK}content-length: 2\r\n\r\nok`;
const closing: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0).toReversed()) await one.close();
});

describe('connections to one origin', () => {
  it('are as many as there are requests under way, and the one that was free last is used first', async () => {
    const { url, sockets, requests } = await receiving((socket) => held.push(socket));
    const held: Socket[] = [];
    const sender = sending();
    const sent = [1, 2, 3].map(() => sender.send(requestTo(url)));
    await eventually(() => expect(held).toHaveLength(3));
    for (const socket of held.splice(0)) {
      socket.write(ANSWER);
      await sleep(20);
    }
    await Promise.all(sent);
    const again = sender.send(requestTo(url));
    await eventually(() => expect(held).toEqual([sockets[2]]));
    held[0]?.write(ANSWER);
    expect(await again).toMatchObject({ result: 'succeeded' });
    expect({ requests: requests(), sockets: sockets.length }).toEqual({ requests: 4, sockets: 3 });
  });

  it('are not used when the receiver has closed them', async () => {
    const { url, sockets } = await receiving((socket) => socket.end(ANSWER));
    const sender = sending();
    for (let n = 1; n <= 3; n++) {
      expect(await sender.send(requestTo(url))).toMatchObject({ result: 'succeeded' });
      await eventually(() => expect(sockets.every(({ destroyed }) => destroyed)).toBe(true));
      expect(sockets).toHaveLength(n);
    }
  });

  it('are not used when the receiver says something that it was not asked', async () => {
    const { url, sockets } = await receiving((socket) => {
      socket.write(ANSWER);
      setTimeout(() => socket.write(ANSWER), 20);
    });
    const sender = sending();
    await sender.send(requestTo(url));
    await eventually(() => expect(sockets[0]?.destroyed).toBe(true));
    expect(await sender.send(requestTo(url))).toMatchObject({ result: 'succeeded' });
    expect(sockets).toHaveLength(2);
  });

  it('end when the time is over for which the receiver keeps them', async () => {
    const answer = `${OK}keep-alive: timeout=3\r\ncontent-length: 2\r\n\r\nok`;
    const { url, sockets } = await receiving((socket) => socket.write(answer));
    await sending().send(requestTo(url));
    await sleep(500);
    expect(sockets[0]?.destroyed).toBe(false);
    await eventually(() => expect(sockets[0]?.destroyed).toBe(true));
  });
});

describe('a request', () => {
  it('is sent once, though its connection was used before and breaks', async () => {
    let answers = 1;
    const { url, requests } = await receiving((socket) =>
      answers-- > 0 ? socket.write(ANSWER) : socket.resetAndDestroy(),
    );
    const sender = sending();
    await sender.send(requestTo(url));
    expect(await sender.send(requestTo(url))).toMatchObject({ result: 'connection_lost' });
    expect(requests()).toBe(2);
  });

  it('comes whole to a receiver that answers before it has read it', async () => {
    let bytes = 0;
    const server = net.createServer((socket) => {
      socket.once('readable', () => {
        socket.write(ANSWER);
        setTimeout(() => socket.on('data', (chunk) => (bytes += chunk.length)), 200);
      });
    });
    const url = await listening(server);
    const body = Buffer.alloc(8_000_000, 'x');
    expect(await sending().send({ ...requestTo(url), body })).toMatchObject({
      result: 'succeeded',
    });
    await eventually(() => expect(bytes).toBeGreaterThan(body.length));
  });

  it.each(['a\r\nb: c', 'a\nb', 'a\0', '\u0100'])(
    'with %j in a header is not sent',
    async (value) => {
      const { url, sockets } = await receiving(() => {});
      const headers = { 'x-custom': value };
      expect(await sending().send({ ...requestTo(url), headers })).toMatchObject({
        result: 'failed',
        httpStatus: null,
      });
      expect(sockets).toHaveLength(0);
    },
  );

  it('ends when the sender is closed', async () => {
    const { url, sockets } = await receiving(() => {});
    const sender = sending();
    const sent = sender.send(requestTo(url));
    await eventually(() => expect(sockets).toHaveLength(1));
    await sender.close();
    expect(await sent).toMatchObject({ result: 'failed' });
    expect(await sender.send(requestTo(url))).toMatchObject({ result: 'failed' });
    await eventually(() => expect(sockets[0]?.destroyed).toBe(true));
  });
});

const requestTo = (url: string) => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
  startedAt: new Date(),
});

function sending(): PromisedSender {
  const sender = promisedSender({ allowPrivateTargets: true });
  closing.push(sender);
  return sender;
}

/** Receives requests that come in one piece each. */
async function receiving(onRequest: (socket: Socket) => unknown) {
  const sockets: Socket[] = [];
  let requests = 0;
  const server = net.createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.on('data', () => {
      requests++;
      onRequest(socket);
    });
  });
  closing.push({ close: () => sockets.forEach((socket) => void socket.destroy()) });
  return { url: await listening(server), sockets, requests: () => requests };
}

async function listening(server: net.Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
}
