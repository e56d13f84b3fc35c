import { BUDGETS, type Budget, budgetInWords, isKept, NODE24, shown } from './budgets.js';
import type { Baseline, Result } from './report.js';

/** Returns the page with the table of budgets made from the accepted runs. Throws when the page has no place for it. */
export const withBudgetTable = (page: string, baseline: Baseline): string =>
  withTable(page, 'budgets', budgetTable(baseline));

/** Puts a table in its place. Throws when the page has none of that name. */
export function withTable(page: string, name: string, table: string): string {
  const begin = `<!-- ${name}: written by \`npm run bench -- --accept\` -->`;
  const end = `<!-- end of ${name} -->`;
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`The page lacks the lines "${begin}" and "${end}" around its table.`);
  }
  return `${before}${begin}\n\n${table}\n\n${end}${after}`;
}

function budgetTable(baseline: Baseline): string {
  const rows = Object.entries(BUDGETS).flatMap(([suite, budgets]) =>
    Object.entries(budgets)
      .filter(([figure]) => !figure.startsWith(NODE24))
      .map(([figure, budget]) => {
        const measured = measuredCells(baseline[suite], figure, budget);
        return `| ${[suite, `\`${figure}\``, budgetInWords(budget), ...measured].join(' | ')} |`;
      }),
  );
  return [
    '| suite | figure | budget | last value | met | commit | machine |',
    '|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Returns the cells of a figure, for both versions of Node when both were measured. */
function measuredCells(run: Result | undefined, figure: string, budget: Budget): readonly string[] {
  const value = run?.figures[figure];
  if (run === undefined || value === undefined) return ['not measured', '', '', ''];
  const onNode24 = run.figures[NODE24 + figure];
  const isMet = isKept(value, budget) && (onNode24 === undefined || isKept(onNode24, budget));
  const values = onNode24 === undefined ? '' : `, on Node 24 ${shown(onNode24)}`;
  return [shown(value) + values, isMet ? 'yes' : '**no**', run.commit, run.cpu];
}
