import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, freePort } from '@junction/testing';
import express, { Router } from 'express';
import type { DestinationStream } from 'pino';
import { z } from 'zod';
import { closeLater, closeOpened, until } from '../../test/loopback.js';
import { httpApp } from '../http/http-app.js';
import { parseConfig } from './config/parse-config.js';
import { metrics } from './metrics.js';
import { type ProcessConfig, type ProcessDefinition, runProcess } from './run-process.js';
import type { Host } from './stopper.js';

const schema = z.object({ DATABASE_URL: z.string(), GREETING: z.string() }).transform(() => ({
  logLevel: 'info',
  http: { host: '127.0.0.1', port: 0 },
  stopDelayMs: 0,
}));

afterEach(async () => {
  jest.useRealTimers();
  await closeOpened();
});

/** A server goes on by these; timeouts alone are in the test's hands. */
const TIMEOUTS: Parameters<typeof jest.useFakeTimers>[0] = {
  doNotFake: [
    'Date',
    'hrtime',
    'nextTick',
    'performance',
    'queueMicrotask',
    'setImmediate',
    'clearImmediate',
    'setInterval',
    'clearInterval',
  ],
};

describe('a service', () => {
  it('serves until SIGTERM, then closes what it opened and ends with 0', async () => {
    const { host, exits, log } = run();
    const closed: string[] = [];
    await start(host, log, {
      serve: async (_config, { closing }) => {
        closing.add('pool', 'pool', async (name) => closed.push(name));
        closing.add('http', 'http', async (name) => closed.push(name));
      },
    });
    expect(log.text()).toContain('"msg":"ready"');
    expect(exits).toEqual([]);

    host.emit('SIGTERM');
    host.emit('SIGINT');
    await until(() => exits.length > 0);
    expect(closed).toEqual(['http', 'pool']);
    expect(exits).toEqual([0]);
  });

  it('is asked to stop twice when Ctrl-C reaches it twice, and stops once, in order', async () => {
    const { host, exits, log } = run();
    await start(host, log, {});
    for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM']) host.emit(signal);
    await until(() => exits.length > 0);
    expect(exits).toEqual([0]);
  });

  it('names every mistake of its environment on stderr and ends with 1', async () => {
    const { host, exits, stderr, log } = run();
    await start(host, log, { env: {} });
    expect(stderr()).toMatch(/DATABASE_URL: is missing[\s\S]*GREETING: is missing/);
    expect(exits).toEqual([1]);
  });

  it('closes what it had opened when it could not open the rest, and ends with 1', async () => {
    const { host, exits, log } = run();
    const closed: string[] = [];
    await start(host, log, {
      serve: async (_config, { closing }) => {
        closing.add('pool', 'pool', async (name) => closed.push(name));
        throw new Error('port taken');
      },
    });
    expect(closed).toEqual(['pool']);
    expect(exits).toEqual([1]);
    expect(log.text()).toContain('port taken');
  });

  it.each(['uncaughtException', 'unhandledRejection'])(
    'logs an %s and ends with 1',
    async (event) => {
      const { host, exits, log } = run();
      await start(host, log, {});
      host.emit(event, new Error('nobody caught me'));
      expect(exits).toEqual([1]);
      expect(log.text()).toContain('nobody caught me');
    },
  );

  it('carries out the command it is given, and ends with 0', async () => {
    const { host, exits, log } = run();
    const did: string[] = [];
    const commands = {
      migrate: async () => void did.push('migrate'),
      mend: async () => void did.push('mend'),
    };
    const serve = async () => void did.push('serve');
    await start(host, log, { words: ['mend'], commands, serve });
    expect({ did, exits }).toEqual({ did: ['mend'], exits: [0] });
  });

  it('is checked without being opened: every mistake of its environment and files, and 1', async () => {
    const { host, exits, stderr, log } = run();
    const check = async ({ FILE }: NodeJS.ProcessEnv) => {
      throw new Error(`FILE: ${FILE} cannot be read.`);
    };
    await start(host, log, { words: ['check'], env: { FILE: '/nowhere' }, check });
    expect(stderr()).toBe(
      'test: The environment is not usable:\n  DATABASE_URL: is missing\n  GREETING: is missing\n' +
        'FILE: /nowhere cannot be read.\n',
    );
    expect(exits).toEqual([1]);
  });

  it('is checked, found in order, and ends with 0 without having served', async () => {
    const { host, exits, stderr, log } = run();
    const served: string[] = [];
    const serve = async () => void served.push('serve');
    await start(host, log, { words: ['check'], check: async () => undefined, serve });
    expect({ served, exits, stderr: stderr() }).toEqual({ served: [], exits: [0], stderr: '' });
  });

  it('ends with 1 when a command fails', async () => {
    const { host, exits, log } = run();
    const commands = { migrate: () => Promise.reject(new Error('no')) };
    await start(host, log, { words: ['migrate'], commands });
    expect(exits).toEqual([1]);
  });

  it.each([['migrat'], ['migrate', 'now'], ['toString']])(
    'names its commands for words it does not know: %s',
    async (...words) => {
      const { host, exits, stderr, log } = run();
      await start(host, log, { words, commands: { migrate: async () => undefined } });
      expect(stderr()).toContain('migrate');
      expect(exits).toEqual([1]);
    },
  );
});

describe('a stop', () => {
  it('says so, serves for the delay, and only then closes', async () => {
    const stopDelayMs = 60_000;
    const { url, stopped, emit, closed } = await serving({ stopDelayMs });
    jest.useFakeTimers(TIMEOUTS);
    emit('SIGTERM');
    await jest.advanceTimersByTimeAsync(stopDelayMs - 1);
    const ready = await fetch(`${url}/internal/health/ready`);
    expect(await ready.json()).toEqual({ status: 'not_ready', failing: ['stopping'] });
    expect((await fetch(`${url}/hello`)).headers.get('connection')).toBe('close');
    expect(closed).toEqual([]);

    await jest.advanceTimersByTimeAsync(1);
    expect(await stopped()).toBe(0);
    await expect(fetch(`${url}/hello`)).rejects.toThrow('fetch failed');
    expect(closed).toEqual(['pool']);
  });

  it('ends at once when it is asked for again, and says what was still open', async () => {
    const { host, exits, log } = run();
    await start(host, log, { serve: endless() });
    host.emit('SIGTERM');
    await until(() => host.emit('SIGINT') && exits.length > 0);
    expect(exits).toEqual([1]);
    expect(log.text()).toMatch(/"signal":"SIGINT","component":\["deliveries",.*told to stop again/);
  });

  it.each([
    ['of its own', 45_000],
    ['that every service has', undefined],
  ])('ends at the deadline %s, and says what was still open', async (_, closeMaxMs) => {
    const { host, exits, log } = run();
    await start(host, log, {
      ...(closeMaxMs !== undefined && { closeMaxMs }),
      serve: endless(),
    });
    const deadlineMs = closeMaxMs ?? 15_000;
    jest.useFakeTimers(TIMEOUTS);
    host.emit('SIGTERM');
    await jest.advanceTimersByTimeAsync(deadlineMs - 1);
    expect(exits).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(exits).toEqual([1]);
    expect(log.text()).toContain(`"deadline_ms":${deadlineMs},"component":["deliveries",`);
    expect(log.text()).toContain('not closed in time');
  });
});

describe('a start', () => {
  it('waits for what is not there, says so to probes and in the log, and goes on by itself', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const { host, exits, log } = run();
    const world = { isThere: false };
    const started = start(host, log, {
      config: () => ({ logLevel: 'info', http: { host: '127.0.0.1', port }, stopDelayMs: 0 }),
      async serve(_config, runtime) {
        await runtime.waitFor('postgres', async () => {
          if (!world.isThere) throw new Error('connect ECONNREFUSED');
        });
        await runtime.listen(express().use(hello()));
      },
    });
    const ready = await eventually(async () => fetch(`${url}/internal/health/ready`));
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ status: 'not_ready', failing: ['postgres'] });
    expect((await fetch(`${url}/internal/health/live`)).status).toBe(200);
    const refused = await fetch(`${url}/hello?code=1`);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'starting', instance: '/hello' });
    expect(log.text()).toMatch(/"check":"postgres".*ECONNREFUSED/);

    world.isThere = true;
    await started;
    expect((await fetch(`${url}/hello`)).status).toBe(200);
    expect(log.text()).toContain('"msg":"ready"');
    host.emit('SIGTERM');
    await until(() => exits.length > 0);
    expect(exits).toEqual([0]);
  });

  it('can be called off while it waits', async () => {
    const { host, exits, log } = run();
    const started = start(host, log, {
      stopDelayMs: 30_000,
      serve: async (_config, runtime) =>
        runtime.waitFor('postgres', async () => Promise.reject(new Error('not there'))),
    });
    await until(() => log.text().includes('not there'));
    host.emit('SIGTERM');
    await started;
    await until(() => exits.length > 0);
    expect(exits).toEqual([0]);
    expect(log.text()).not.toContain('could not start');
  });

  it('is over when every check has passed', async () => {
    const { host, log } = run();
    const world = { isCaughtUp: false };
    const started = start(host, log, {
      serve: async (_config, { health }) => health.addOnce('revocations', () => world.isCaughtUp),
    });
    await until(() => log.text().includes('"failing":["revocations"]'));
    expect(log.text()).not.toContain('"msg":"ready"');
    world.isCaughtUp = true;
    await started;
    expect(log.text()).toContain('"msg":"ready"');
  });
});

type Config = z.infer<typeof schema>;

interface Started extends Partial<ProcessDefinition<ProcessConfig>> {
  readonly stopDelayMs?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly words?: readonly string[];
}

const start = (
  host: EventEmitter & Pick<Host, 'exit' | 'stdout' | 'stderr'>,
  logDestination: DestinationStream,
  { stopDelayMs = 0, env = ENVIRONMENT, words = [], ...overrides }: Started,
): Promise<void> =>
  runProcess<ProcessConfig>(
    {
      name: 'test',
      config: (env): Config => ({ ...parseConfig(schema, env), stopDelayMs }),
      serve: async () => undefined,
      commands: {},
      ...overrides,
    },
    Object.assign(host, { env, argv: ['node', 'main.js', ...words] }),
    logDestination,
  );

const ENVIRONMENT = { DATABASE_URL: 'x', GREETING: 'y' };

/** Opens what does not close before the test is over. */
function endless(): ProcessDefinition<ProcessConfig>['serve'] {
  let finish = () => {};
  const over = new Promise<void>((resolve) => {
    finish = resolve;
  });
  closeLater(async () => finish());
  return async (_config, { closing }) => closing.add('deliveries', undefined, async () => over);
}

const hello = () => Router().get('/hello', (_req, res) => void res.json({}));

/** Runs a service with an HTTP server, and notes what it does. */
async function serving({ stopDelayMs }: { readonly stopDelayMs: number }) {
  const { host, exits, log } = run();
  const config = {
    logLevel: 'info',
    http: { host: '127.0.0.1', port: await freePort() },
    stopDelayMs,
  };
  const closed: string[] = [];
  await start(host, log, {
    config: () => config,
    serve: async (_config, runtime) => {
      runtime.closing.add('pool', 'pool', async (name) => closed.push(name));
      const routes = [{ through: [], router: hello() }];
      const { health } = runtime;
      await runtime.listen(httpApp({ log: runtime.log, health, metrics: metrics('test'), routes }));
    },
  });
  const stopped = async () => {
    await until(() => exits.length > 0);
    return exits[0];
  };
  return {
    url: `http://127.0.0.1:${config.http.port}`,
    log,
    closed,
    stopped,
    emit: (signal: string) => host.emit(signal),
  };
}

function run() {
  const exits: number[] = [];
  const errors: string[] = [];
  const lines: string[] = [];
  const host = Object.assign(new EventEmitter(), {
    exit: (code: number) => exits.push(code),
    stdout: { write: () => undefined },
    stderr: { write: (text: string) => errors.push(text) },
  });
  closeLater(async () => {
    if (host.emit('SIGTERM')) await until(() => log.text().includes('"msg":"stopped"'));
  });
  const log = { write: (line: string) => void lines.push(line), text: () => lines.join('') };
  return { host, exits, stderr: () => errors.join(''), log };
}
