import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { inCheckout } from './in-checkout.js';

const SIZE = path.resolve(import.meta.dirname, '../bin/size.mjs');

const lines = (count: number): string => 'line\n'.repeat(count);

const RAISED = ['source of packages/vault +2: a user sees when a key was made.'];

const CEILINGS = {
  generated: { all: 30 },
  documents: { all: 10 },
  tests: { 'packages/vault': 7, 'packages/testing': 5 },
  source: { 'packages/vault': 9, 'services/auth': 8, house: 3 },
};

/** A checkout in which every area is as large as it may be. */
const HOUSE: Readonly<Record<string, string>> = {
  'ceilings.json': JSON.stringify({ ...CEILINGS, raised: RAISED }),
  'packages/vault/src/key.ts': lines(4),
  'packages/vault/bin/rotate.mjs': lines(5),
  'packages/vault/src/key.test.ts': lines(3),
  'packages/vault/test/world.ts': lines(4),
  'packages/testing/src/receiver.ts': lines(5),
  'services/auth/src/page.tsx': lines(8),
  'infra/site.mjs': lines(3),
  'services/auth/src/gen/key.ts': lines(10),
  'packages/docs/openapi.json': lines(20),
  'packages/vault/README.md': lines(4),
  'docs/size.md': lines(6),
  'packages/vault/dist/key.js': lines(100),
  'node_modules/kafkajs/index.js': lines(100),
  'packages/vault/package.json': lines(100),
};

describe('the check of size', () => {
  it('passes a house whose areas are at their ceilings', () => {
    const { status, stdout, stderr } = check(HOUSE);
    expect(stderr).toBe('');
    expect(stdout).toBe(
      'size: generated 30, documents 10, tests 12, source 20 lines, none above its ceiling\n',
    );
    expect(status).toBe(0);
  });

  it.each([
    ['source of packages/vault', 'packages/vault/src/key.ts', 10, 9],
    ['source of services/auth', 'services/auth/src/page.tsx', 9, 8],
    ['source of house', 'infra/site.mjs', 4, 3],
    ['tests of packages/vault', 'packages/vault/test/world.ts', 8, 7],
    ['generated of all', 'packages/docs/openapi.json', 31, 30],
    ['documents of all', 'docs/size.md', 11, 10],
  ])('refuses one line more in the %s', (area, file, count, ceiling) => {
    const { status, stderr } = check({ ...HOUSE, [file]: `${HOUSE[file]}line\n` });
    expect(stderr).toMatch(
      new RegExp(`^${area}: ${count} lines are above the ceiling of ${ceiling}[.] .*\n$`),
    );
    expect(status).toBe(1);
  });

  it('refuses an area that has no ceiling', () => {
    const { status, stderr } = check({ ...HOUSE, 'packages/new/src/index.ts': lines(1) });
    expect(stderr).toContain('source of packages/new: 1 lines are above the ceiling of 0.');
    expect(status).toBe(1);
  });

  it('lowers ceilings to what is there, and raises none', () => {
    const files = {
      ...HOUSE,
      'packages/vault/src/key.ts': lines(1),
      'services/auth/src/page.tsx': lines(50),
    };
    const lowered = inCheckout(files, (root) => {
      expect(run(root, '--lower').status).toBe(1);
      return JSON.parse(readFileSync(path.join(root, 'ceilings.json'), 'utf8'));
    });
    const source = { ...CEILINGS.source, 'packages/vault': 6 };
    expect(lowered).toEqual({ ...CEILINGS, source, raised: RAISED });
  });
});

const check = (files: Readonly<Record<string, string>>) => inCheckout(files, (root) => run(root));

const run = (...args: string[]) =>
  spawnSync(process.execPath, [SIZE, ...args], { encoding: 'utf8' });
