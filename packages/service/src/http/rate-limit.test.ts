import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import express, { type ErrorRequestHandler } from 'express';
import { closeOpened, serve } from '../../test/loopback.js';
import { trustProxies } from './client-network.js';
import { rateLimit, showRateLimit } from './rate-limit.js';

const limited = rateLimit({
  name: 'few',
  limit: 2,
  windowS: 600,
  refusal: (retryAfterS) => new AppError('too_many_requests', 'Wait.', { retryAfterS }),
});
const refused: ErrorRequestHandler = (error: AppError, _req, res, _next) => {
  res.status(429).send(error.code);
};

const app = trustProxies(express(), 1)
  .use((_req, res, next) => {
    showRateLimit(res, { name: 'many', limit: 9, windowS: 60, remaining: 9, resetS: 60 });
    showRateLimit(res, { name: 'many', limit: 9, windowS: 60, remaining: 7, resetS: 29.2 });
    showRateLimit(res, { name: 'open', limit: 3, remaining: 2 });
    const bytes = { limit: 4_096, windowS: 60, remaining: 96, resetS: 60 };
    showRateLimit(res, { name: 'sent', unit: 'content-bytes', ...bytes });
    next();
  })
  .use(limited, (_req, res) => void res.send('done'))
  .use(refused);
let url: string;
beforeAll(async () => {
  url = await serve(app);
});
afterAll(closeOpened);

const ask = async (ip: string) => fetch(url, { headers: { 'x-forwarded-for': ip } });

describe('a limited route', () => {
  it('shows every limit with what is said last of it, whether it answers or refuses', async () => {
    const shown: (string | null)[] = [];
    for (const status of [200, 200, 429, 429]) {
      const answer = await ask('192.0.2.1');
      expect(answer.status).toBe(status);
      expect(answer.headers.get('ratelimit-policy')).toBe(
        '"many";q=9;w=60, "open";q=3;qu="concurrent-requests", "sent";q=4096;qu="content-bytes";w=60, "few";q=2;w=600',
      );
      shown.push(answer.headers.get('ratelimit'));
    }
    for (const [index, left] of [1, 0, 0, 0].entries()) {
      expect(shown[index]).toMatch(
        new RegExp(
          `^"many";r=7;t=30, "open";r=2, "sent";r=96;t=60, "few";r=${left};t=(600|59\\d)$`,
        ),
      );
    }
  });

  it('counts each network by itself', async () => {
    expect((await ask('192.0.2.2')).headers.get('ratelimit')).toContain('"few";r=1;');
  });

  it('counts IPv6 by /64, /56 and /48 together', async () => {
    const statuses = async (addresses: readonly string[]) => {
      const found: number[] = [];
      for (const address of addresses) found.push((await ask(address)).status);
      return found;
    };
    const oneOfEach = (first: number, count: number, step: number) =>
      Array.from({ length: count }, (_, n) => `2001:db8:0:${(first + n * step).toString(16)}::1`);
    // The six that this /64 is refused leave the wider networks theirs.
    expect(await statuses(Array<string>(8).fill('2001:db8::1'))).toEqual([
      200,
      200,
      ...Array<number>(6).fill(429),
    ]);
    expect(await statuses(oneOfEach(1, 3, 1))).toEqual([200, 200, 429]);
    expect(await statuses(oneOfEach(0x100, 5, 0x100))).toEqual([200, 200, 200, 200, 429]);
    expect(await statuses(['2001:db8:1::1'])).toEqual([200]);
  });
});
