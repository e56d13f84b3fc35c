import http from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { Router } from 'express';
import { Pool } from 'pg';
import { closeOpened, until } from '../../test/loopback.js';
import { openApp } from '../../test/open-app.js';
import { limitCallers } from '../callers/limit-callers.js';
import { sharedUse } from '../callers/shared-use.js';
import { setCaller } from './caller.js';
import { mount, type Route } from './mount.js';
import { requestTurns } from './request-turns.js';

const LIMIT = 300;
/** Requests of one caller at a time, and of one caller that cost more than one. */
const [AT_ONCE, DEAR_AT_ONCE] = [8, 2];
const [WAITING, DEAR_WAITING] = [100, 20];
/** Requests of all callers at a time that cost more than one. */
const DEAR_MAX = 3;

afterEach(closeOpened);

describe('requests of one caller', () => {
  it('run a few at a time, and those beyond the line are refused, while others are served', async () => {
    const { ask, begun, open } = await serve();
    const asked = Array.from({ length: AT_ONCE + WAITING + 1 }, () => ask('cheap', 'ada'));
    const { status, code, retryAfter } = await Promise.race(asked);
    expect({ status, code, retryAfter }).toEqual({
      status: 429,
      code: 'too_many_requests',
      retryAfter: '1',
    });
    expect(begun('cheap ada')).toBe(AT_ONCE);
    const looked = begun('asked cheap ada');
    expect((await ask('cheap', 'ada')).status).toBe(429);
    expect(begun('asked cheap ada')).toBe(looked);

    const other = ask('cheap', 'bob');
    await until(() => begun('cheap bob') === 1);
    open();
    expect((await other).status).toBe(200);
    const answers = (await Promise.all(asked)).map((answer) => answer.status);
    expect(answers.filter((one) => one === 200)).toHaveLength(AT_ONCE + WAITING);
  });

  it('that cost more run fewer at a time, and in turn with those of others', async () => {
    const { ask, begun, order, open } = await serve();
    const asked = Array.from({ length: 6 }, () => ask('dear', 'ada'));
    await until(() => begun('dear ada') === DEAR_AT_ONCE);
    asked.push(ask('dear', 'bob'), ask('cheap', 'ada'));
    await until(() => begun('dear bob') === 1 && begun('cheap ada') === 1);
    asked.push(ask('dear', 'eve'));
    await until(() => order.includes('asked dear eve'));
    expect(begun('dear eve')).toBe(0);

    open();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
    const ran = order.filter((line) => line.startsWith('dear'));
    expect(ran.indexOf('dear eve')).toBeLessThan(ran.lastIndexOf('dear ada'));
    expect(ran).toHaveLength(8);
  });

  it('that cost most run one after the other', async () => {
    const { ask, begun, order, open } = await serve();
    const asked = [ask('dear?much=1', 'ada'), ask('dear?much=1', 'ada')];
    await until(() => begun('dear ada') === 1);
    asked.push(ask('dear', 'ada'), ask('dear?much=1', 'bob'));
    await until(() => begun('dear ada') === 2 && begun('dear bob') === 1);
    expect(order.filter((line) => line === 'asked dear ada')).toHaveLength(3);

    open();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
  });

  it('count for what their route costs, by its query too', async () => {
    const { ask, open } = await serve();
    open();
    const left = async (path: string) => (await ask(path, 'ada')).remaining;
    expect([await left('cheap'), await left('dear'), await left('dear?much=1')]).toEqual([
      LIMIT - 1,
      LIMIT - 6,
      LIMIT - 106,
    ]);
    // A refused request does not count.
    expect(await ask('dear?most=1', 'ada')).toMatchObject({ status: 429, remaining: LIMIT - 106 });
    expect([await left('cheap'), await left('dear?little=1')]).toEqual([LIMIT - 107, LIMIT - 108]);
    // A request that would cost more than the limit costs all of it.
    expect(await ask('dear?most=1&much=1', 'bob')).toMatchObject({ status: 200, remaining: 0 });
  });

  it('are refused before anybody looks at their credential once nothing is left', async () => {
    const { ask, begun, open } = await serve();
    open();
    const spend = async () => (await ask('dear?most=1', 'ada', 'key-1')).status;
    expect([await spend(), await spend(), await spend()]).toEqual([200, 429, 429]);
    expect(begun('asked dear ada')).toBe(2);
    expect((await ask('dear?most=1', 'bob', 'key-2')).status).toBe(200);
  });
});

describe('a request whose caller has hung up', () => {
  it('is never begun when it was in line, and leaves its place to the next', async () => {
    const { ask, begun, open, text } = await serve();
    const running = Array.from({ length: DEAR_AT_ONCE }, () => ask('dear', 'ada'));
    const waiting = Array.from({ length: DEAR_WAITING }, () => ask('dear', 'ada'));
    await until(() => begun('dear ada') === DEAR_AT_ONCE);
    for (const { hangUp } of waiting) hangUp();
    await until(() => text().split('"status":499').length === DEAR_WAITING + 1);

    const later = ask('dear', 'ada');
    open();
    expect((await later).status).toBe(200);
    await Promise.all(running);
    expect(begun('dear ada')).toBe(DEAR_AT_ONCE + 1);
    expect(text()).not.toMatch(/"level":"(warn|error)"/);
  });

  it('has its read ended, without a word in the log but its line', async () => {
    const { ask, begun, text } = await serve();
    const reading = ask('reading', 'ada');
    await until(() => begun('reading ada') === 1);
    reading.hangUp();
    await until(() => begun('cut ada') === 1);
    await until(() => text().includes('"status":499'));
    expect(text()).not.toMatch(/"level":"(warn|error)"/);
  });
});

/** Serves routes whose handlers end when the test opens the gate. */
async function serve() {
  const order: string[] = [];
  const gate = deferred<void>();
  const router = Router();
  const add = (name: string, cost: Pick<Route, 'cost' | 'costWith'>) =>
    mount(
      router,
      { id: name, method: 'get', path: `/${name}`, summary: name, ...cost },
      async ({ req }) => {
        order.push(`${name} ${String(req.headers['x-user'])}`);
        await gate.promise;
      },
    );
  add('cheap', {});
  add('dear', { cost: 5, costWith: { little: 1, much: 100, most: LIMIT + 1 } });
  mount(
    router,
    { id: 'reading', method: 'get', path: '/reading', summary: 'Read' },
    async ({ signal }) => {
      order.push('reading ada');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      order.push('cut ada');
      // The error of a connection that was cut.
      throw Object.assign(new Error('Connection terminated'), { code: 'ECONNRESET' });
    },
  );

  const use = sharedUse({ pool: new Pool(), windowMs: 600_000, worthTelling: 1 });
  const { before, behind } = limitCallers(() => LIMIT, use, requestTurns(DEAR_MAX));
  const { url, log } = await openApp([
    {
      through: [
        before,
        (req, res, next) => {
          const userId = String(req.headers['x-user']);
          order.push(`asked ${req.path.slice(1)} ${userId}`);
          setCaller(res, { kind: 'user', userId, via: 'jwt', scopes: [] });
          next();
        },
        behind,
      ],
      router,
    },
  ]);
  return {
    order,
    text: log.text,
    open: gate.resolve,
    begun: (line: string) => order.filter((one) => one === line).length,
    ask: (path: string, user: string, key = user) => ask(`${url}/${path}`, user, key),
  };
}

interface Answered {
  readonly status: number | undefined;
  readonly code: unknown;
  readonly retryAfter: string | undefined;
  readonly remaining: number;
}

/** Asks on a connection of its own. Resolves with the answer, and never when it hangs up. */
function ask(
  url: string,
  user: string,
  key: string,
): Promise<Answered> & { readonly hangUp: () => void } {
  const request = http.get(url, {
    headers: { 'x-user': user, authorization: `Bearer ${key}` },
    agent: false,
  });
  let fail = (_error: Error): void => undefined;
  request.on('error', (error) => fail(error));
  const answered = new Promise<Answered>((resolve, reject) => {
    fail = reject;
    request.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () =>
        resolve({
          status: response.statusCode,
          code: text === '' ? undefined : (JSON.parse(text) as { code: string }).code,
          retryAfter: response.headers['retry-after'],
          remaining: Number(/r=(\d+)/.exec(String(response.headers['ratelimit']))?.[1]),
        }),
      );
    });
  });
  const hangUp = () => {
    fail = () => undefined;
    request.destroy();
  };
  return Object.assign(answered, { hangUp });
}
