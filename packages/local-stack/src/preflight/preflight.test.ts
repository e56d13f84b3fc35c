import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { lockData } from '../process/data-lock.js';
import { freePort } from '../process/ports.js';
import { nodeMistake, startMistakes } from './preflight.mjs';
import { apart } from './settings.mjs';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

let folder: string;
let aFile: string;
let taken: net.Server;
let takenPort: number;
let freeTwice: number;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'preflight-'));
  aFile = path.join(folder, 'a-file');
  writeFileSync(aFile, '');
  taken = net.createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  freeTwice = await freePort();
  takenPort = (taken.address() as AddressInfo).port;
});
afterAll(() => {
  taken.close();
  rmSync(folder, { recursive: true });
});

/** Makes an environment without mistakes on any machine: no port is fixed, and no Kafka has to be started. */
const good = (): NodeJS.ProcessEnv => ({
  ...apart({ JUNCTION_BACKENDS: 'embedded' }, path.join(folder, 'data')),
  KAFKA_BROKERS: 'kafka:9092',
});

/** Makes an environment with one mistake of each kind; `told` returns the messages about them. */
const bad = (): NodeJS.ProcessEnv => ({
  ...apart({ PATH: '/nowhere', JUNCTION_BACKENDS: 'embedded' }, path.join(aFile, 'data')),
  XDG_CACHE_HOME: folder,
  GATEWAY_PORT: 'front',
  AUTH_HTTP_PORT: String(takenPort),
  POSTGRES_PORT: String(freeTwice),
  KAFKA_PORT: String(freeTwice),
  PROVIDERS_FILE: '/nowhere/providers.yaml',
  WEBHOOK_CA_FILE: folder,
});
const told = () => [
  'GATEWAY_PORT is "front"; it must be a whole number from 1 to 65535, or 0 for any free port.',
  `KAFKA_PORT and POSTGRES_PORT are both ${freeTwice}; give each a port of its own.`,
  `JUNCTION_DATA_DIR: ${aFile} is not a folder. Set JUNCTION_DATA_DIR to a folder that can be written to.`,
  expect.stringMatching(
    new RegExp(`^Port ${takenPort}, meant for auth http, is in use by .*set AUTH_HTTP_PORT`),
  ),
  'PROVIDERS_FILE: /nowhere/providers.yaml does not exist. Name a file that can be read, or unset the variable.',
  `WEBHOOK_CA_FILE: ${folder} is not a file. Name one, or unset the variable.`,
  expect.stringMatching(
    /^Kafka 4\.3\.1 cannot be run here:[^]*Java 17[^]*Maven[^]*apt-get install/,
  ),
];

describe('the check before npm start', () => {
  it('finds no mistake when there is none, and creates nothing', async () => {
    const before = readdirSync(folder);
    expect(await startMistakes(good(), ROOT)).toEqual([]);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('reports all mistakes at once, each with a remedy', async () => {
    expect(await startMistakes(bad(), ROOT)).toEqual(told());
  });

  it.each([
    ['podman', 'JUNCTION_BACKENDS is "podman"; it may be embedded or docker.'],
    ['docker', expect.stringContaining('no Docker engine answers. Start it, or unset')],
  ])('reports an unusable JUNCTION_BACKENDS=%s', async (JUNCTION_BACKENDS, mistake) => {
    const env = { ...good(), JUNCTION_BACKENDS, DOCKER_HOST: 'tcp://127.0.0.1:1' };
    expect(await startMistakes(env, ROOT)).toEqual([mistake]);
  });

  it('reports one mistake when the data are in use, although the ports are in use, too', async () => {
    const dataDir = path.join(folder, 'used');
    const lock = lockData(dataDir);
    const env = { ...good(), JUNCTION_DATA_DIR: dataDir, AUTH_HTTP_PORT: String(takenPort) };
    expect(await startMistakes(env, ROOT)).toEqual([
      expect.stringContaining(`in use by process ${process.pid}`),
    ]);
    lock.release();
  });

  it('names an offset at which all ports are free, and none that would meet others again', async () => {
    const env = { ...good(), GATEWAY_PORT: '', AUTH_HTTP_PORT: '', PORT_OFFSET: '12000' };
    const others = [8080 + 12_000, 7001 + 12_100].map((port) => net.createServer().listen(port));
    // A port that somebody else has already is as good.
    await Promise.allSettled(others.map(async (other) => once(other, 'listening')));
    const mistakes = await startMistakes(env, ROOT);
    for (const other of others) other.close();
    const [, offset] =
      /^PORT_OFFSET=(\d+) moves all ports to free ones[.]$/.exec(mistakes.at(-1) ?? '') ?? [];
    expect(mistakes).toHaveLength(2);
    expect(Number(offset)).toBeGreaterThanOrEqual(12_200);
  });

  it('reports a Node that package.json does not allow', () => {
    for (const version of ['18.20.4', '20.18.1']) {
      expect(nodeMistake(version, '>=20.19')).toMatch(
        `Junction needs Node 20.19 or newer; this is ${version}. Install`,
      );
    }
    for (const version of ['20.19.0', '22.1.0']) {
      expect(nodeMistake(version, '>=20.19')).toBeUndefined();
    }
  });
});

it('npm start on a fresh clone ends with all mistakes before it installs, builds or starts anything', () => {
  const clone = path.join(folder, 'clone');
  freshClone(clone);
  const before = readdirSync(clone, { recursive: true });
  const start = path.join(clone, 'packages/local-stack/bin/start.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [start], {
    cwd: clone,
    env: bad(),
    encoding: 'utf8',
  });
  expect(stdout).toBe('');
  expect(stderr.split('\n- ').map((mistake) => mistake.replaceAll('\n  ', '\n').trim())).toEqual([
    'Junction cannot start like this:',
    ...told(),
  ]);
  expect(status).toBe(1);
  expect(readdirSync(clone, { recursive: true })).toEqual(before);
});

/** Copies the files that a start reads before it installs: neither node_modules nor anything built. */
function freshClone(clone: string): void {
  const parts = ['package.json', 'packages/local-stack/bin', 'packages/local-stack/kafka'];
  const pages = ['packages/dashboard/bin', 'packages/docs/bin'];
  for (const part of [...parts, 'packages/local-stack/src', ...pages]) {
    mkdirSync(path.dirname(path.join(clone, part)), { recursive: true });
    cpSync(path.join(ROOT, part), path.join(clone, part), { recursive: true });
  }
}
