import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { withBudgetTable } from './performance-page.js';
import { type Result, recordsIn } from './report.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');

describe('docs/performance.md', () => {
  const page = readFileSync(path.join(ROOT, 'docs/performance.md'), 'utf8');

  it('shows the accepted runs of bench/baseline.json beside their budgets', () => {
    const { baseline } = recordsIn(path.join(ROOT, 'bench'));
    expect(page).toBe(withBudgetTable(page, baseline()));
  });
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
    'Before\n<!-- budgets: written by `npm run bench -- --accept` -->\nold\n<!-- end of budgets -->\nAfter\n';

  it('says of each figure whether the accepted run met its budget, and what was not measured', () => {
    const made = withBudgetTable(page, { start: ran('start', { start_warm_s: 8.5 }) });
    expect(made).toContain('| start | `start_warm_s` | ≤ 8 | 8.5 | **no** | abc | 2 × fast |');
    expect(made).toContain('| dispatch | `ratio` | ≥ 0.333 | not measured |  |  |  |');
    expect(made).toMatch(/^Before\n[\s\S]*\nAfter\n$/);
    expect(made).not.toContain('old');
  });

  it('says in one row what was measured on both versions of Node, and meets a budget on both', () => {
    const figures = { ratio: 0.4, node24_ratio: 0.3, cpu_ratio: 2, node24_cpu_ratio: 2.4 };
    const made = withBudgetTable(page, { dispatch: ran('dispatch', figures) });
    expect(made).toContain('| `ratio` | ≥ 0.333 | 0.4, on Node 24 0.3 | **no** |');
    expect(made).toContain('| `cpu_ratio` | ≤ 2.5 | 2, on Node 24 2.4 | yes |');
    expect(made).not.toContain('`node24_');
  });

  it('has a place on the page', () => {
    expect(() => withBudgetTable('No markers here.', {})).toThrow('lacks the lines');
  });
});
