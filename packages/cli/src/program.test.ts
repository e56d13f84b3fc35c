import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { JunctionUnreachableError, QUERIES } from '@junction/client';
import { HELP } from './help.js';
import { opsFailure } from './ops-failure.js';
import { program, run } from './program.js';
import { VERSION, versionText } from './version.js';
import type { World } from './world.js';

const HERE = ['events', 'state', '-s', 'webhooks', 'webhook-1'];

describe('a command line', () => {
  it.each([
    [['events', 'list', 'user-1'], "'-s, --service <service>' not specified"],
    [['events', 'list', '-s', 'nobody', 'user-1'], 'Allowed choices are auth'],
    [['events', 'list', '-s', 'auth'], "missing required argument 'stream'"],
    [['events', 'list', '-s', 'auth', 'user-1', '--after', '-1'], 'a whole number from 0'],
    [['events', 'show', '-s', 'auth', 'user-1'], 'Add its version'],
    [['events', 'show', '-s', 'auth', 'user-1@0'], 'a whole number from 1'],
    [['events', 'show', '-s', 'auth', 'user-1@1', '--stream', 'user-1'], '--stream goes with'],
    [['events', 'show', '-s', 'auth', 'user-1', '1', '--stream', 'user-1'], '--stream goes with'],
    [[...HERE, '--at', 'noon'], 'a time with its zone'],
    [[...HERE, '--at', '2026-03-01T12:00:00'], 'a time with its zone'],
    [[...HERE, '--version', '1', '--at', '2026-03-01T12:00:00Z'], 'cannot be used with'],
    [['login', '--url', 'ftp://example.com'], 'not the address of a product'],
    [['status', '--url', 'http://example.com'], 'Use https://'],
    [['webhooks', 'create', 'https://example.com'], "'--events <kinds>' not specified"],
    [['webhooks', 'create', 'https://example.com', '--events', 'a,,b'], 'words with commas'],
    [['deliveries', 'list', '--from', 'noon'], 'a time with its zone'],
    [['deliveries', 'replay', 'wh_1'], "'--from <time>' not specified"],
    [['listen', '--forward', 'localhost'], 'must be a URL'],
    [['listen', '--secret', 'whsec_no!'], 'goes on in base64'],
    [['completion', 'tcsh'], 'Allowed choices are bash'],
    [['nothing'], "unknown command 'nothing'"],
    [['webhoks', 'list'], 'Did you mean webhooks?'],
    [['--json', 'webhooks', 'lst'], 'Did you mean list?'],
    [['status', '--jsno'], 'Did you mean --json?'],
    [['--vers'], 'Did you mean --version?'],
    [['--url', 'http://example.com', 'status'], 'Use https://'],
  ])('that makes no sense ends with 2 and says why: %j', async (argv, words) => {
    const { code, out, err } = await typed(argv, ACCOUNT);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(words);
  });

  it.each([[['webhooks', 'test']], [['webhooks', 'nest']], [['status', '--user']]])(
    'that is near to nothing has nothing suggested: %j',
    async (argv) => {
      const { code, err } = await typed(argv, ACCOUNT);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^error: unknown/) });
      expect(err).not.toContain('Did you mean');
    },
  );

  it.each([[['--help']], [['events', '--help']], [['events', 'state', '--help']]])(
    'may ask for help: %j',
    async (argv) => {
      const { code, out, err } = await typed(argv, {});
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('Usage: junction');
    },
  );

  it.each([[['--version']], [['version']]])('may ask for the version: %j', async (argv) => {
    expect(await typed(argv, {})).toEqual({ code: 0, out: `${versionText()}\n`, err: '' });
    expect(versionText()).toMatch(new RegExp(`^${VERSION}( \\([0-9a-f]{40}\\))?$`));
  });

  it('shows all commands on one screen', async () => {
    const lines = HELP.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    const { commands } = await program(worldOf({}, [], []));
    const names = commands.map((command) => command.name());
    const shown = new Set(HELP.match(/[\w-]+/g));
    expect(names.filter((name) => !(shown.has(name) || name.startsWith('_')))).toEqual([]);
    expect(names.length).toBeGreaterThan(20);
  });

  it.each([
    ['deliveries list', '/api/deliveries', ['cursor', 'format']],
    ['dlq list', '/api/ops/{service}/dead-letters', []],
    ['events list', '/api/ops/{service}/streams/{stream_id}/events', []],
    ['users list', '/api/ops/auth/users', ['cursor']],
    ['webhooks failing', '/api/ops/webhook-dispatcher/failing-webhooks', []],
    ['audit', '/api/ops/{service}/audit', ['cursor']],
  ] as const)('has an option for each parameter of a list: %s', async (line, path, except) => {
    let command = await program(worldOf({}, [], []));
    for (const word of line.split(' ')) {
      command = command.commands.find((one) => one.name() === word) ?? command;
    }
    const parameters = (QUERIES[path] ?? []).map(({ name }) => name);
    expect(parameters).not.toEqual([]);
    const others = ['service', 'json', 'byUser', 'url', 'apiKey'];
    const options = command.options.filter((one) => !others.includes(one.attributeName()));
    expect(options).toHaveLength(parameters.length - except.length);
  });

  it('has help for each command', async () => {
    const { code, out } = await typed(['help', 'trigger'], {});
    expect(code).toBe(0);
    expect(out).toContain('junction trigger draft.created');
  });

  it('needs somebody to ask', async () => {
    const { code, err } = await typed(HERE, {});
    expect(code).toBe(2);
    expect(err).toContain('run npm start');
    expect(err).toContain('WEBHOOKS_URL');
  });

  it('takes a service by the name that its paths, metrics and findings have, too', async () => {
    const { code, err } = await typed(['consumers', 'list', '-s', 'webhook-dispatcher'], {});
    expect([code, err]).toEqual([2, expect.stringContaining('WEBHOOKS_URL')]);
  });

  it('names every variable that is missing beside the service account', async () => {
    const { code, err } = await typed(HERE, { JUNCTION_CLIENT_ID: 'cli_operator' });
    expect(code).toBe(2);
    expect(err).toContain('JUNCTION_CLIENT_SECRET and JUNCTION_TOKEN_URL and WEBHOOKS_URL');
  });

  it('says how a restore is finished, which nobody can ask a service for', async () => {
    const { code, out, err } = await typed(['restore', 'finish', '-s', 'webhooks'], {});
    expect(code).toBe(1);
    expect(err).toContain('Nothing was done yet');
    for (const line of [
      'kubectl --namespace junction exec deployment/webhook-dispatcher -- node main.mjs finish-restore',
      'docker compose exec webhook-dispatcher node main.mjs finish-restore',
      'node services/webhook-dispatcher/dist/src/main.js finish-restore',
      'junction doctor -s webhooks',
    ]) {
      expect(out).toContain(`  ${line}`);
    }
  });

  it.each([
    { WEBHOOKS_URL: 'http://webhooks.example' },
    { JUNCTION_TOKEN_URL: 'http://auth.example/oauth/token' },
  ])('keeps its secret from the network outside of development: %j', async (unsafe) => {
    const { code, err } = await typed(HERE, { ...ACCOUNT, ...unsafe });
    expect(code).toBe(2);
    expect(err).toContain('JUNCTION_ENV=development');
  });

  it('is told of a URL with a password in it, and does not show the password', async () => {
    const unsafe = { WEBHOOKS_URL: 'https://ada:hunter2@webhooks.example' };
    const { code, err } = await typed(HERE, { ...ACCOUNT, ...unsafe });
    expect([code, err]).toEqual([2, expect.stringContaining('WEBHOOKS_URL must be a URL')]);
    expect(err).not.toContain('hunter2');
  });

  it('says why there is no connection, such as a certificate that is not trusted', async () => {
    const cause = new TypeError('fetch failed', {
      cause: Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' }),
    });
    const place = { service: 'auth', url: 'https://auth.example' };
    const error = opsFailure(place, new JunctionUnreachableError('no answer', { cause }));
    expect(String(error)).toContain('cannot be reached.');
    expect(String(error)).toContain('(CERT_HAS_EXPIRED)');
  });
});

const ACCOUNT = {
  JUNCTION_CLIENT_ID: 'cli_operator',
  JUNCTION_CLIENT_SECRET: 'a secret',
  JUNCTION_TOKEN_URL: 'https://auth.example/oauth/token',
  WEBHOOKS_URL: 'https://webhooks.example',
  AUTH_URL: 'https://auth.example',
};

const worldOf = (env: Readonly<Record<string, string>>, out: string[], err: string[]): World => ({
  env,
  cwd: '/nowhere',
  output: {
    out: (text) => void out.push(text),
    note: (text) => void err.push(text),
    isTerminal: false,
  },
  input: Readable.from([]),
  signal: new AbortController().signal,
});

async function typed(argv: readonly string[], env: Readonly<Record<string, string>>) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(argv, worldOf(env, out, err));
  return { code, out: out.join(''), err: err.join('\n') };
}
