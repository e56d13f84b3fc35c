import pg from 'pg';
import type { SentStatement, SentValue } from '../service-process.js';

/** What plans read of the tables that grow. */
export interface TablesRead {
  /** Days of which any partition was read. */
  readonly days: number;
  /** Rows that were looked at, those that a filter removed included. */
  readonly rows: number;
  /** Tables that were read from end to end. */
  readonly scanned: readonly string[];
}

const GROWING = /\b(seen_events|deliveries|attempts|endings|outcomes|pending|webhook_hours)\b/;
const READING = /^\s*(select|with)\b/i;
const WRITING = /\b(insert into|update|delete from)\b/i;
const LARGE = /^(seen_events|deliveries|attempts|outcomes)_(\d{8})$|^(pending|webhook_hours)$/;
/** From the sixth use on Postgres may keep to a plan for any values. */
const USES_OF_NAMED = 7;

/**
 * What these statements read by the plans that Postgres carries out for them, one after the other as in a
 * session of the service: one with a name as often as it takes to meet each plan that it can get.
 */
export async function tablesRead(
  pool: pg.Pool,
  statements: readonly SentStatement[],
): Promise<TablesRead> {
  const asked = statements.filter(
    ({ text }) => READING.test(text) && GROWING.test(text) && !WRITING.test(text),
  );
  if (asked.length === 0) throw new Error('It was answered without a look into what grows.');
  const client = await pool.connect();
  try {
    const each: PlanNode[][] = [];
    for (const statement of asked) each.push(await plansOf(client, statement));
    return {
      days: new Set(each.flat().flatMap(nodesOf).flatMap(dayOf)).size,
      // Of one answer: each statement once, by the plan that looked at most.
      rows: sum(each.map((plans) => Math.max(...plans.map(rowsOf)))),
      scanned: [...new Set(each.flat().flatMap(scannedIn))],
    };
  } finally {
    client.release();
  }
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Its values are written out: EXPLAIN EXECUTE takes no parameters. */
async function plansOf(
  client: pg.PoolClient,
  { text, values, isNamed }: SentStatement,
): Promise<PlanNode[]> {
  const execute = values.length === 0 ? 'asked' : `asked (${values.map(literalOf).join()})`;
  const plans: PlanNode[] = [];
  await client.query(`prepare asked as ${text}`);
  try {
    for (let use = 0; use < (isNamed ? USES_OF_NAMED : 1); use++) {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) execute ${execute}`,
      );
      plans.push(...rows.map((row) => row['QUERY PLAN'][0].Plan));
    }
  } finally {
    await client.query('deallocate asked');
  }
  return plans;
}

/** Moments have become text on their way here. */
function literalOf(value: SentValue): string {
  if (value === null) return 'null';
  return pg.escapeLiteral(typeof value === 'object' ? `{${value.join()}}` : String(value));
}

/** The nodes that were carried out and read a table that grows. */
const nodesOf = (node: PlanNode): readonly PlanNode[] => [
  ...(node['Actual Loops'] > 0 && LARGE.test(node['Relation Name'] ?? '') ? [node] : []),
  ...(node.Plans ?? []).flatMap(nodesOf),
];

const dayOf = (node: PlanNode): readonly string[] => {
  const day = LARGE.exec(node['Relation Name'] ?? '')?.[2];
  return day === undefined ? [] : [day];
};

const rowsOf = (plan: PlanNode): number =>
  sum(
    nodesOf(plan).map(
      (node) =>
        (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    ),
  );

const scannedIn = (plan: PlanNode): readonly string[] =>
  nodesOf(plan)
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .flatMap((node) => node['Relation Name'] ?? []);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
