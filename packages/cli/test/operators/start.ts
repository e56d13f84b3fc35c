import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Product } from '@junction/demo';
import { apart } from '@junction/local-stack';
import { eventually } from '@junction/testing';
import { MINUTE, type OperatedProduct } from '../operator.js';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

export function startCases({ product }: OperatedProduct): void {
  describe('npm start', () => {
    it('writes where everything is and who runs it, and says so in one line', () => {
      expect(product().output()).toMatch(/^Junction is ready/m);
      expect(product().endpoints).toMatchObject({
        gateway: expect.stringMatching(/^http:\/\/localhost:\d+$/),
        kafka: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        operator: { client_id: expect.any(String), client_secret: expect.any(String) },
      });
      expect(Object.keys(product().pids()).toSorted()).toEqual(
        expect.arrayContaining([
          'auth',
          'gateway',
          'integrations',
          'provider-acme',
          'provider-globex',
          'webhook-dispatcher',
        ]),
      );
    });
  });
}

/** The cases come last: the first one ends the product. */
export function endCases({ product }: OperatedProduct): void {
  describe('npm start that is killed', () => {
    it('leaves no process behind when it is killed itself', async () => {
      const children = Object.values(product().pids());
      process.kill(starterOf(product()), 'SIGKILL');
      await eventually(() => expect(children.filter(isRunning)).toEqual([]));
      await product().stop();
      expect(existsSync(product().dataDir)).toBe(false);
    });
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
          const starter = await eventually(() => starterOf({ dataDir }));
          expect(isRunning(starter)).toBe(true);
          npm.kill(signal);
          await eventually(() => expect(isRunning(starter)).toBe(false));
        } finally {
          npm.kill('SIGKILL');
          rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
        }
      },
      2 * MINUTE,
    );
  });
}

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
