import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { describedMetrics } from './metrics-page.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');

it('docs/metrics.md names every metric that the code registers, and no other', () => {
  const described = describedMetrics().map(({ name }) => name);
  expect(described.length).toBeGreaterThan(30);
  expect(new Set(described).size).toBe(described.length);
  expect(described.toSorted()).toEqual(registered().toSorted());
});

/** Returns the names that stand where a metric is registered, by a call, in a list of gauges or by nginx. */
function registered(): readonly string[] {
  const places = [
    'infra/gateway/nginx.conf',
    'packages/*/src/*.ts',
    'services/*/src/*.ts',
    ':!*.test.ts',
    ':!packages/testing',
  ];
  const files = execFileSync('git', ['grep', '-lE', "'junction_|TYPE junction_", '--', ...places], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const names = files
    .trim()
    .split('\n')
    .flatMap((file) => {
      const text = readFileSync(path.join(ROOT, file), 'utf8');
      return [...text.matchAll(REGISTRATION)].map(([, name = '']) => name);
    });
  return [...new Set(names)];
}

const REGISTRATION =
  /(?:(?:(?:gauge|counter|histogram)\(\s*|new (?:Histogram|Gauge|Counter)\(\{\s*name: |\[\s*)'|# TYPE )(junction_\w+)/g;
