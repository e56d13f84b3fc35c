import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Receiver } from './receiver.js';
import { startReceiver } from './receiver.js';

let receiver: Receiver;

describe('a receiver', () => {
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  it('waits for a request that is still to come', async () => {
    const waiting = receiver.waitFor(({ path }) => path === '/two');
    await post('/one');
    await post('/two');
    await expect(waiting).resolves.toMatchObject({ path: '/two' });
    await expect(receiver.waitFor(({ path }) => path === '/one')).resolves.toBeDefined();
  });

  it('says what came instead when the wait is over', async () => {
    await expect(receiver.waitFor(() => true, 10)).rejects.toThrow('within 10 ms; nothing came');
    await post('/else');
    await expect(receiver.waitFor(({ path }) => path === '/x', 10)).rejects.toThrow(
      'only POST /else came',
    );
  });

  it('passes on the failure of a condition that cannot read the request', async () => {
    const waiting = receiver.waitFor(({ body }) => JSON.parse(body.toString()).ok === true);
    const [outcome] = await Promise.allSettled([waiting, post('/', { body: 'no json' })]);
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(SyntaxError) });
  });
});

const post = (path: string, init: RequestInit = {}) =>
  fetch(receiver.url + path, { method: 'POST', ...init });
