import { BUDGETS, budgetInWords, isKept, shown } from './budgets.js';
import type { Baseline } from './report.js';

const BEGIN = '<!-- budgets: written by `npm run bench -- --accept` -->';
const END = '<!-- end of budgets -->';

/** The page with a fresh table of budgets, made from the accepted runs. */
export function withBudgetTable(page: string, baseline: Baseline): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`The page lacks the lines "${BEGIN}" and "${END}" around its table.`);
  }
  return `${before}${BEGIN}\n\n${budgetTable(baseline)}\n\n${END}${after}`;
}

function budgetTable(baseline: Baseline): string {
  const rows = Object.entries(BUDGETS).flatMap(([suite, budgets]) =>
    Object.entries(budgets).map(([figure, budget]) => {
      const run = baseline[suite];
      const value = run?.figures[figure];
      const measured =
        run && value !== undefined
          ? [shown(value), isKept(value, budget) ? 'yes' : '**no**', run.commit, run.cpu]
          : ['not measured', '', '', ''];
      return `| ${[suite, `\`${figure}\``, budgetInWords(budget), ...measured].join(' | ')} |`;
    }),
  );
  return [
    '| suite | figure | budget | last value | met | commit | machine |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
