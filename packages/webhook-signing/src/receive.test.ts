import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { type OnWebhookEvent, verifyRequest, webhookHandler } from './receive.js';
import { newSecret, signingKeys } from './secret.js';
import { signatureHeaders } from './sign.js';

const event = {
  event_type: 'draft.created',
  user_id: '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d',
  data: { draft_id: 'ä' },
  timestamp: '2026-01-02T03:04:05.678Z',
  webhook_id: 'wh_1',
};
const body = `${JSON.stringify(event)} \n`; // Parsed and written again it is another one.
const secret = newSecret();

const servers: http.Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await once(server.close(), 'close');
});

describe('the handler for Express', () => {
  it('gives the event with its id, and answers 200', async () => {
    const taken: unknown[] = [];
    const url = await listening(handlerOf((...what) => taken.push(what)));

    expect((await post(url, body)).status).toBe(200);
    expect(taken).toEqual([[event, 'msg_1']]);
  });

  it.each([
    ['raw', express.raw({ type: 'application/json' })],
    ['json that keeps the bytes', express.json({ verify: keepBytes })],
  ])('takes what express.%s has read', async (_, parser) => {
    const url = await listening(parser, handlerOf());
    expect((await post(url, body)).status).toBe(200);
    expect((await post(url, `${body} `, signed())).status).toBe(401);
  });

  it('says what to do when a parser has read the body and kept nothing', async () => {
    const url = await listening(express.json(), handlerOf());
    const answer = await post(url, body);
    expect(answer.status).toBe(500);
    expect(answer.body).toContain('TypeError: The body was read before webhookHandler. Mount it');
  });

  it('answers 401 with the reason, and gives nothing', async () => {
    const taken: unknown[] = [];
    const url = await listening(handlerOf((...what) => taken.push(what)));

    expect(await post(url, '{}', signed())).toMatchObject({
      status: 401,
      body: 'No signature in webhook-signature was made with a key of this receiver over this body.',
    });
    expect(await post(url, body, {})).toMatchObject({
      status: 401,
      body: 'webhook-id is missing.',
    });
    expect(taken).toEqual([]);
  });

  it('answers 413 to a body without end, and reads no further', async () => {
    const url = await listening(handlerOf(() => undefined));
    const request = http.request(url, { method: 'POST', headers: signed() });
    const closed = once(request, 'close');
    // The request never ends. The answer arrives all the same, and then the connection closes.
    request.on('error', () => undefined).write(Buffer.alloc(513 * 1_024));
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    expect(response.statusCode).toBe(413);
    response.resume();
    await closed;
  });

  it('hands on what the receiver itself throws, so that the event is sent again', async () => {
    const url = await listening(
      handlerOf(async () => {
        throw new Error('no disk');
      }),
    );
    const answer = await post(url, body);
    expect(answer.status).toBe(500);
    expect(answer.body).toContain('Error: no disk');
  });

  it('is not made with keys that verify nothing', () => {
    expect(() => webhookHandler('', () => undefined)).toThrow(TypeError);
  });
});

describe('a fetch request', () => {
  const request = (text: string) =>
    new Request('http://receiver.example/', { method: 'POST', headers: signed(), body: text });

  it('gives its event', async () => {
    await expect(verifyRequest(request(body), secret)).resolves.toEqual(event);
  });

  it('is refused with a code and a status', async () => {
    await expect(verifyRequest(request('{}'), secret)).rejects.toMatchObject({
      code: 'no_matching_signature',
      status: 401,
    });
    const unsigned = new Request('http://receiver.example/');
    await expect(verifyRequest(unsigned, secret)).rejects.toMatchObject({ code: 'missing_header' });
  });

  it('is read as far as it may be long', async () => {
    let chunks = 0;
    const endless = new ReadableStream({
      pull: (stream) => stream.enqueue(new Uint8Array(64 * ++chunks)),
    });
    const init = { method: 'POST', headers: signed(), body: endless, duplex: 'half' as const };
    const request = new Request('http://receiver.example/', init);
    await expect(verifyRequest(request, secret, { bytesMax: 1_024 })).rejects.toMatchObject({
      code: 'body_too_large',
      status: 413,
    });
    expect(chunks).toBeLessThan(10);
  });

  it('has to come unread', async () => {
    const read = request(body);
    await read.text();
    await expect(verifyRequest(read, secret)).rejects.toThrow('The body was read before');
  });
});

function handlerOf(onEvent: OnWebhookEvent = () => undefined): express.RequestHandler {
  return webhookHandler(secret, onEvent);
}

function keepBytes(request: object, _: unknown, rawBody: Buffer): void {
  Object.assign(request, { rawBody });
}

function signed(): Record<string, string> {
  const keys = [signingKeys(secret)];
  const attempt = { body: Buffer.from(body), keys, messageId: 'msg_1', timestamp: new Date() };
  return { 'content-type': 'application/json', ...signatureHeaders(attempt) };
}

/** A receiver, as its developer starts it: errors are shown in the answer, and not in the log of a test. */
async function listening(...handlers: express.RequestHandler[]): Promise<string> {
  const app = express()
    .set('env', 'test')
    .post('/hook', ...handlers);
  const server = app.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

async function post(url: string, text: string, headers = signed()) {
  const response = await fetch(url, { method: 'POST', headers, body: text });
  return { status: response.status, body: (await response.text()).replaceAll('&#39;', "'") };
}
