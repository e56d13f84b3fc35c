import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { eventually } from '@junction/testing';
import express from 'express';
import { closeLater, closeOpened, serve } from '../../test/loopback.js';
import { type Caller, setCaller } from './caller.js';
import { type EventSource, type EventStreamsOptions, eventStreams } from './event-streams.js';

const SECOND_MS = 1_000;
/** Four times a second. */
const LOOK_MS = 250;
const USER: Caller = { kind: 'user', via: 'jwt', userId: 'user', sessionId: 'ses_1', scopes: [] };

afterEach(closeOpened);

describe('a stream', () => {
  it.each<[string, Caller]>([
    ['ses_1', USER],
    ['user', USER],
    ['key_1', { ...USER, via: 'api_key', keyId: 'key_1', secretId: 'key_1.2' }],
    ['key_1.2', { ...USER, via: 'api_key', keyId: 'key_1', secretId: 'key_1.2' }],
  ])('ends within a second when %s of its caller is revoked', async (id, caller) => {
    const { streamOf, revoked } = await server();
    const [ended, other] = [
      await streamOf(caller),
      await streamOf({ ...USER, userId: 'other', sessionId: 'ses_2' }),
    ];
    revoked.add(id);
    expect(await endsWithin(ended, SECOND_MS)).toBe(true);
    expect(await endsWithin(other, 0)).toBe(false);
  });

  it('ends when the token of its caller expires, however long it rests', async () => {
    const { streamOf } = await server({ restMs: 60 * SECOND_MS });
    const expiresAt = new Date(Date.now() + 300);
    await once(await streamOf({ ...USER, expiresAt }), 'end');
    expect(new Date() >= expiresAt).toBe(true);
  });

  it('ends too when its reader takes nothing any more', async () => {
    const { port, revoked, served } = await server({}, () => ({
      read: async () => ({
        events: [{ type: 'large', data: { text: 'x'.repeat(1_000_000) } }],
        more: true,
      }),
    }));
    const socket = net.connect(port, '127.0.0.1');
    closeLater(async () => socket.destroy());
    socket.write(`GET / HTTP/1.1\r\nhost: x\r\nx-caller: ${JSON.stringify(USER)}\r\n\r\n`);
    socket.pause();
    const response = await served;
    const closed = once(response, 'close').then(() => true);
    await eventually(async () => expect(response.writableNeedDrain).toBe(true));
    revoked.add('ses_1');
    expect(await Promise.race([closed, later(SECOND_MS)])).toBe(true);
  });

  it('ends when its reader had hung up before it was opened', async () => {
    const { port, served, ended, hold } = await server();
    const held = deferred<void>();
    hold(held.promise);
    const socket = net.connect(port, '127.0.0.1');
    socket.write(`GET / HTTP/1.1\r\nhost: x\r\nx-caller: ${JSON.stringify(USER)}\r\n\r\n`);
    const response = await served;
    socket.destroy();
    await once(response, 'close');
    held.resolve();
    expect(await Promise.race([ended.then(() => true), later(SECOND_MS)])).toBe(true);
  });

  it('is a head alone to HEAD', async () => {
    const { port } = await server();
    const headers = { 'x-caller': JSON.stringify(USER) };
    const request = http.request({ port, host: '127.0.0.1', method: 'HEAD', headers }).end();
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    expect(response.headers['content-type']).toBe('text/event-stream');
    expect(await endsWithin(response.resume(), SECOND_MS)).toBe(true);
  });

  it('ends when nobody can say whether it may go on, and that is told', async () => {
    const errors: unknown[] = [];
    const { streamOf } = await server({
      revoked: () => Promise.reject(new Error('postgres is down')),
      onError: (error) => void errors.push(error),
    });
    expect(await endsWithin(await streamOf(USER), SECOND_MS)).toBe(true);
    expect(errors).toEqual([new Error('postgres is down')]);
  });

  it('is asked about together with the others, and nothing is asked when there is none', async () => {
    const asked: (readonly string[])[] = [];
    const { streamOf } = await server({
      revoked: async (ids) => {
        asked.push(ids);
        return new Set();
      },
    });
    const responses = [await streamOf(USER), await streamOf({ ...USER, sessionId: 'ses_2' })];
    await eventually(async () => expect(asked).toContainEqual(['user', 'ses_1', 'ses_2']));
    for (const response of responses) response.destroy();
    await later(LOOK_MS);
    const before = asked.length;
    await later(2 * LOOK_MS);
    expect(asked).toHaveLength(before);
  });
});

async function server(
  options: Partial<EventStreamsOptions> = {},
  open: () => EventSource = () => ({ read: async () => ({ events: [], more: false }) }),
) {
  const revoked = new Set<string>();
  const streams = eventStreams({
    revoked: async (ids) => new Set(ids.filter((id) => revoked.has(id))),
    onError: (error) => {
      throw error;
    },
    onNews: () => () => undefined,
    ...options,
  });
  const responses = deferred<http.ServerResponse>();
  const ended = deferred<void>();
  let held: Promise<unknown> = Promise.resolve();
  const app = express().get('/', async (req, res) => {
    const { expiresAt, ...caller } = JSON.parse(req.get('x-caller') ?? '') as Caller;
    setCaller(res, { ...caller, ...(expiresAt && { expiresAt: new Date(expiresAt) }) });
    responses.resolve(res);
    await held;
    await streams.serve(res, async () => open());
    ended.resolve();
  });
  const port = Number(new URL(await serve(app)).port);
  closeLater(async () => streams.end());

  return {
    port,
    revoked,
    served: responses.promise,
    ended: ended.promise,
    /** Keeps requests waiting before their streams are opened. */
    hold: (until: Promise<unknown>) => {
      held = until;
    },
    async streamOf(caller: Caller): Promise<http.IncomingMessage> {
      const headers = { 'x-caller': JSON.stringify(caller) };
      const request = http.get({ port, host: '127.0.0.1', headers });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      response.on('error', () => undefined).resume();
      return response;
    },
  };
}

const endsWithin = async (response: http.IncomingMessage, ms: number): Promise<boolean> =>
  response.readableEnded ||
  Promise.race([once(response, 'end').then(() => true), later(ms).then(() => false)]);

const later = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
