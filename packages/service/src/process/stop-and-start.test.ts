import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { build } from '@junction/telemetry';
import { eventually, freePort } from '@junction/testing';
import express, { Router } from 'express';
import { closeLater, closeOpened, until } from '../../test/loopback.js';
import { run, start } from '../../test/run.js';
import { httpApp } from '../http/http-app.js';
import { metrics } from './metrics.js';
import type { ProcessConfig, ProcessDefinition } from './run-process.js';

afterEach(async () => {
  jest.useRealTimers();
  jest.restoreAllMocks();
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

describe('a stop', () => {
  it('says so, serves for the delay, and only then closes', async () => {
    const stopDelayMs = 60_000;
    const { url, stopped, emit, closed } = await serving({ stopDelayMs });
    jest.useFakeTimers(TIMEOUTS);
    emit('SIGTERM');
    await jest.advanceTimersByTimeAsync(stopDelayMs - 1);
    const ready = await fetch(`${url}/internal/health/ready`);
    expect(await ready.json()).toEqual({
      status: 'not_ready',
      failing: ['stopping'],
      ...build(),
    });
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
    await until(() => log.text().includes('ECONNREFUSED'));
    // Probes are answered once the start takes longer than a connection that is slow.
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + 11_000);
    const ready = await eventually(async () => fetch(`${url}/internal/health/ready`));
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ status: 'not_ready', failing: ['postgres'] });
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
