import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { needsOf, withCapacityTables } from './capacity-page.js';
import { withBudgetTable } from './performance-page.js';
import { type Result, recordsIn } from './report.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');

it.each([
  ['performance.md', withBudgetTable],
  ['capacity.md', withCapacityTables],
] as const)('docs/%s has a table made from bench/baseline.json', (name, withTable) => {
  const page = readFileSync(path.join(ROOT, 'docs', name), 'utf8');
  expect(page).toBe(withTable(page, recordsIn(path.join(ROOT, 'bench')).baseline()));
});

const figures = {
  cpu_s_per_10k: 1,
  vend_per_cpu_s: 5_000,
  bytes_per_delivery: 1_000,
  steady_1000_cpu_us: 500,
};

it('needs follow the processor while answers come soon, and the requests under way while they do not', () => {
  const soon = needsOf({ perS: 5_000, answerMs: 20, figures });
  expect(soon).toMatchObject({
    'replicas of the dispatcher': 5,
    'requests under way': expect.closeTo(105.26),
    'connections of the dispatcher': 72,
    'replicas of integrations': 2,
    'GB of its rows a day': expect.closeTo(454.7, 1),
  });
  const late = needsOf({ perS: 5_000, answerMs: 2_500, figures });
  expect(late).toMatchObject({
    'replicas of the dispatcher': 8,
    'partitions that each reads, at most': 2,
  });
});

it('a rate between two that were measured uses a processor in proportion', () => {
  const postgres = { steady_200_postgres_us: 500, steady_1000_postgres_us: 300 };
  const needs = needsOf({ perS: 570, answerMs: 20, figures: { ...figures, ...postgres } });
  expect(needs).toMatchObject({ 'processors of Postgres': expect.closeTo(0.2 / 0.6) });
});

const ran = (suite: string, figures: Result['figures']): Result => ({
  suite,
  commit: 'abc',
  node: 'v20.19.0',
  cpu: '2 × fast',
  at: '2026-01-01T00:00:00.000Z',
  figures,
});

describe('the table of budgets', () => {
  const page =
    'Before\n<!-- budgets: written by `npm run bench -- --accept` -->\nstale\n<!-- end of budgets -->\nAfter\n';

  it('says of each figure whether the accepted run met its budget, and what was not measured', () => {
    const made = withBudgetTable(page, { year: ran('year', { fair_rss_mb: 425 }) });
    expect(made).toContain('| year | `fair_rss_mb` | ≤ 400 | 425 | **no** | abc | 2 × fast |');
    expect(made).toContain('| dispatch | `limit_ratio` | ≥ 0.8 | not measured |  |  |  |');
    expect(made).toMatch(/^Before\n[\s\S]*\nAfter\n$/);
    expect(made).not.toContain('stale');
  });

  it('says in one row what was measured on both versions of Node, and meets a budget on both', () => {
    const missed = { limit_ratio: 0.9, node24_limit_ratio: 0.7 };
    const met = { steady_200_cpu_ratio: 1.1, node24_steady_200_cpu_ratio: 1.2 };
    const made = withBudgetTable(page, { dispatch: ran('dispatch', { ...missed, ...met }) });
    expect(made).toContain('| `limit_ratio` | ≥ 0.8 | 0.9, on Node 24 0.7 | **no** |');
    expect(made).toContain('| `steady_200_cpu_ratio` | ≤ 1.3 | 1.1, on Node 24 1.2 | yes |');
    expect(made).not.toContain('`node24_');
  });

  it('has a place on the page', () => {
    expect(() => withBudgetTable('No markers here.', {})).toThrow('lacks the lines');
  });
});
