import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { DestinationStream } from 'pino';
import { z } from 'zod';
import { parseConfig } from '../config/parse-config.js';
import { type Host, runService, type Service } from './run-service.js';

const schema = z
  .object({ DATABASE_URL: z.string(), GREETING: z.string() })
  .transform(() => ({ logLevel: 'info' }));

describe('a service', () => {
  it('serves until SIGTERM, then closes what it opened and ends with 0', async () => {
    const { host, exits, log } = run();
    const closed: string[] = [];
    await start(host, log, {
      compose: async (_config, _log, closing) => {
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
      compose: async (_config, _log, closing) => {
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

  it('migrates and ends with 0 when it is told to', async () => {
    const { host, exits, log } = run();
    let composed = false;
    let migrated = false;
    await start(host, log, {
      argv: ['migrate'],
      migrate: async () => void (migrated = true),
      compose: async () => void (composed = true),
    });
    expect({ migrated, composed, exits }).toEqual({ migrated: true, composed: false, exits: [0] });
  });

  it('ends with 1 when a migration fails', async () => {
    const { host, exits, log } = run();
    await start(host, log, { argv: ['migrate'], migrate: () => Promise.reject(new Error('no')) });
    expect(exits).toEqual([1]);
  });

  it('does nothing on a word it does not know', async () => {
    const { host, exits, stderr, log } = run();
    await start(host, log, { argv: ['migrat'] });
    expect(stderr()).toContain('migrate');
    expect(exits).toEqual([1]);
  });
});

type Config = { readonly logLevel: string };

const start = (
  host: Host,
  logDestination: DestinationStream,
  overrides: Partial<Service<Config>>,
): Promise<void> =>
  runService({
    name: 'test',
    env: { DATABASE_URL: 'x', GREETING: 'y' },
    argv: [],
    config: (env) => parseConfig(schema, env),
    compose: async () => undefined,
    migrate: async () => undefined,
    host,
    logDestination,
    ...overrides,
  });

function run() {
  const exits: number[] = [];
  const errors: string[] = [];
  const lines: string[] = [];
  const host = Object.assign(new EventEmitter(), {
    exit: (code: number) => exits.push(code),
    stderr: { write: (text: string) => errors.push(text) },
  });
  const log = { write: (line: string) => void lines.push(line), text: () => lines.join('') };
  return { host, exits, stderr: () => errors.join(''), log };
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!condition() && Date.now() < deadline) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
