import { afterEach, describe, expect, it } from '@jest/globals';
import { build } from '@junction/telemetry';
import { closeOpened, until } from '../../test/loopback.js';
import { run, start } from '../../test/run.js';
import { databaseConfig } from './config/common-environment.js';

afterEach(closeOpened);

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

  it('says on its first line, and when it is asked, what it was built of', async () => {
    const { host, log } = run();
    await start(host, log, {});
    const [first = ''] = log.text().split('\n');
    const { version, commit } = build();
    expect(JSON.parse(first)).toMatchObject({ msg: 'starting', version, commit });

    const asked = run();
    await start(asked.host, asked.log, { words: ['--version'], env: {} });
    expect([asked.stdout(), asked.exits]).toEqual([`test ${version} (${commit})\n`, [0]]);
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

  it('logs which variables are read no more, though they change nothing', async () => {
    const { host, log } = run();
    await start(host, log, { env: { DATABASE_URL: 'x', GREETING: 'y', GRPC_REFLECTION: 'false' } });
    expect(log.text()).toMatch(/"reason":"GRPC_REFLECTION is no setting: JUNCTION_ENV/);
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

  it('reads for a job no more than the job needs, and names that where it is missing', async () => {
    const { host, exits, stderr, log } = run();
    const did: string[] = [];
    const jobs = {
      config: databaseConfig('OWN_DATABASE_URL'),
      commands: { migrate: async (config: object) => void did.push(JSON.stringify(config)) },
    };
    const env = { OWN_DATABASE_URL: 'postgres://a@b/c', DATABASE_TLS_CA_FILE: '/ca' };
    await start(host, log, { words: ['migrate'], env, jobs });
    const databaseUrl = 'postgres://a@b/c?sslmode=verify-full&sslrootcert=%2Fca';
    expect(did).toEqual([JSON.stringify({ logLevel: 'info', databaseUrl })]);

    await start(host, log, { words: ['migrate'], env: {}, jobs });
    await start(host, log, {
      words: ['migrate', 'now'],
      env,
      jobs,
      commands: { mend: async () => {} },
    });
    expect(stderr()).toBe(
      'test: The environment is not usable:\n  OWN_DATABASE_URL: is missing\n' +
        'test: the commands are "check" and "migrate" and "mend"; without one the service starts.\n',
    );
    expect(exits).toEqual([0, 1, 1]);
  });

  it('ends with the code of a command that has one, which says by itself how it went', async () => {
    const { host, exits, log } = run();
    await start(host, log, { words: ['look'], commands: { look: async () => 1 } });
    expect({ exits, log: log.text() }).toEqual({ exits: [1], log: '' });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('is ended by %s in the middle of a command, with %i', async (signal, code) => {
    const { host, exits, log } = run();
    const commands = { wait: async () => until(() => exits.length > 0) };
    const ended = start(host, log, { words: ['wait'], commands });
    host.emit(signal);
    await ended;
    expect(exits[0]).toBe(code);
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
