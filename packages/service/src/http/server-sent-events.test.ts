import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { eventsIn, eventually } from '@junction/testing';
import express, { type Response } from 'express';
import { closeOpened, readableLog, serve } from '../../test/loopback.js';
import { problemHandler } from './problem.js';
import { answerWithEvents, type SendEvent } from './server-sent-events.js';

afterEach(closeOpened);

const FAILURE = new AppError('called_off', 'It ended early.');

describe('an answer of server-sent events', () => {
  it('has each message that is sent, and ends with the work', async () => {
    const url = await serving(async (send) => {
      await send({ id: '7', type: 'progress', data: { n: 1 } });
      await send({ type: 'progress', data: { n: 2 } });
    });
    const response = await fetch(url);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(eventsIn(await response.text())).toEqual([
      { id: '7', type: 'progress', data: { n: 1 } },
      { id: undefined, type: 'progress', data: { n: 2 } },
    ]);
  });

  it('is a problem with its status when the work fails before the first message', async () => {
    const response = await fetch(await serving(async () => Promise.reject(FAILURE)));
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'called_off' });
  });

  it('ends with a problem as its last message when the work fails later', async () => {
    const url = await serving(async (send) => {
      await send({ type: 'progress', data: {} });
      throw FAILURE;
    });
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(eventsIn(await response.text()).at(-1)).toMatchObject({
      type: 'problem',
      data: { code: 'called_off', status: 503 },
    });
  });

  it('stops the work when its reader hangs up', async () => {
    let stopped = false;
    const url = await serving(async (send, signal) => {
      signal.addEventListener('abort', () => {
        stopped = true;
      });
      for (;;) await send({ type: 'progress', data: { text: 'x'.repeat(100_000) } });
    });
    const hangUp = new AbortController();
    const response = await fetch(url, { signal: hangUp.signal });
    expect(response.status).toBe(200);
    hangUp.abort();
    await eventually(() => expect(stopped).toBe(true));
  });

  it('stops the work of a reader who had hung up before it began', async () => {
    const hangUp = new AbortController();
    let ended = false;
    const url = await serving(
      async (send) => send({ type: 'progress', data: {} }),
      async (res, answer) => {
        hangUp.abort();
        await once(res, 'close');
        await answer();
        ended = true;
      },
    );
    await expect(fetch(url, { signal: hangUp.signal })).rejects.toThrow('aborted');
    await eventually(() => expect(ended).toBe(true));
  });

  it('is a head alone to HEAD, and no work begins', async () => {
    let begun = false;
    const url = await serving(async () => {
      begun = true;
    });
    const response = await fetch(url, { method: 'HEAD' });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(begun).toBe(false);
  });
});

async function serving(
  work: (send: SendEvent, signal: AbortSignal) => Promise<void>,
  around = async (_res: Response, answer: () => Promise<void>) => answer(),
): Promise<string> {
  const app = express()
    .get('/', async (_req, res) => around(res, async () => answerWithEvents(res, work)))
    .use(problemHandler(readableLog().log));
  return serve(app);
}
