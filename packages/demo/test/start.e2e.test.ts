import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@junction/testing';
import { apiAt, type Product, startProduct } from '../src/index.js';
import { signUp } from '../src/person.js';
import { apart } from '../src/product.js';

const MINUTE = 60_000;
const ROOT = path.resolve(import.meta.dirname, '../../..');
const START = path.join(ROOT, 'packages/local-stack/bin/start.mjs');

let product: Product;

beforeAll(async () => {
  product = await startProduct(process.env, { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' });
}, 4 * MINUTE);

afterAll(async () => {
  await product?.stop();
}, MINUTE);

describe('npm start', () => {
  it('writes where everything is and who runs it, and says so in one line', () => {
    expect(product.output()).toMatch(/^Junction is ready/m);
    expect(product.endpoints).toMatchObject({
      gateway: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      kafka: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      operator: { client_id: expect.any(String), client_secret: expect.any(String) },
    });
    expect(Object.keys(product.pids()).toSorted()).toEqual(
      expect.arrayContaining(['auth', 'gateway', 'integrations', 'provider', 'webhook-dispatcher']),
    );
  });

  it('refuses private webhook targets and plain http when told to, naming the field', async () => {
    const ada = await signUp(apiAt(product.endpoints.gateway));
    for (const url of ['http://example.com/hook', 'https://127.0.0.1/hook', 'https://10.1.2.3/']) {
      const json = { url, events: ['draft.created'], enabled: true };
      const answer = await ada.call('POST', '/api/webhooks/configure', { json });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'url' }] } });
    }
  });

  it('refuses a second start on the same data and harms nothing', async () => {
    const { status, stderr } = spawnSync(process.execPath, [START], {
      env: { ...process.env, JUNCTION_DATA_DIR: product.dataDir },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/in use by process \d+/);
    expect((await fetch(new URL('/.well-known/jwks.json', product.endpoints.gateway))).ok).toBe(
      true,
    );
  });

  it('names a port that is taken, and the variable that moves it', async () => {
    const squatter = createServer().listen(await freePort(), '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as { port: number };
    try {
      const { status, stderr } = spawnSync(process.execPath, [START], {
        env: {
          ...process.env,
          JUNCTION_DATA_DIR: `${product.dataDir}/other`,
          GATEWAY_PORT: `${port}`,
        },
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      expect(stderr).toContain(`Port ${port}`);
      expect(stderr).toContain('GATEWAY_PORT');
    } finally {
      squatter.close();
    }
  });

  it('starts a killed child again and says so', async () => {
    const { provider: before = Number.NaN } = product.pids();
    process.kill(before, 'SIGKILL');
    await eventually(() => expect(product.output()).toContain('provider is back'), {
      deadlineMs: MINUTE,
    });
    expect(product.pids()['provider']).not.toBe(before);
  });

  it(
    'leaves no process behind after Ctrl-C, nor after it was killed itself',
    async () => {
      const pids = Object.values(product.pids());
      expect(await product.stop()).toBe(0);
      expect(pids.filter(isRunning)).toEqual([]);

      const again = await startProduct(process.env);
      const children = Object.values(again.pids());
      process.kill(starterOf(again), 'SIGKILL');
      await eventually(() => expect(children.filter(isRunning)).toEqual([]), {
        deadlineMs: MINUTE,
      });
      await again.stop();
      expect(existsSync(again.dataDir)).toBe(false);
    },
    4 * MINUTE,
  );
});

describe('npm', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'takes its start along when it is ended by %s',
    async (signal) => {
      const dataDir = mkdtempSync('/var/tmp/junction-');
      const npm = spawn('npm', ['start', '--silent'], {
        cwd: ROOT,
        env: apart(process.env, dataDir),
        stdio: 'ignore',
      });
      try {
        const starter = await eventually(() => starterOf({ dataDir }), { deadlineMs: MINUTE });
        expect(isRunning(starter)).toBe(true);
        npm.kill(signal);
        await eventually(() => expect(isRunning(starter)).toBe(false), { deadlineMs: MINUTE });
      } finally {
        npm.kill('SIGKILL');
        rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      }
    },
    2 * MINUTE,
  );
});

/** The process that holds the lock of the data folder. */
const starterOf = ({ dataDir }: Pick<Product, 'dataDir'>): number =>
  (JSON.parse(readFileSync(path.join(dataDir, 'lock'), 'utf8')) as { pid: number }).pid;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
