import { shown } from './budgets.js';
import { withTable } from './performance-page.js';
import type { Baseline } from './report.js';
import type { Figures } from './suite.js';

const DELIVERIES_PER_S = [1_000, 5_000, 20_000] as const;
/** Mean answers of endpoints that count as responsive, which `UNDER_WAY_MAX` is about. */
const ANSWERS_MS = [20, 200, 400] as const;

/** Portion of a thread, or of the requests at once, that is planned with: a replica may be lost, and peaks come. */
const USED_PART = 0.6;
/** Requests that a replica of the dispatcher has under way at most to endpoints that answer soon. */
const UNDER_WAY_MAX = 3_000;
/** Connections of a replica to Postgres at most (docs/configuration.md, DATABASE_POOL_MAX). */
const CONNECTIONS = 27;

/** The page with its table made from the accepted runs. Throws when the page has no place for it. */
export const withNeedsTable = (page: string, { dispatch }: Baseline): string =>
  withTable(page, 'needs', dispatch ? needsTable(dispatch.figures) : 'Not measured.');

function needsTable(figures: Figures): string {
  const rows = DELIVERIES_PER_S.flatMap((perS) =>
    ANSWERS_MS.map((answerMs) => {
      const { underWay, replicas, sockets, connections } = needsOf(perS, answerMs, cpuS(figures));
      const cells = [perS, answerMs, underWay, replicas, sockets, connections];
      return `| ${cells.map(shown).join(' | ')} |`;
    }),
  );
  return [
    '| deliveries a second | mean ms until the answer | requests under way | replicas | sockets in each | connections to Postgres |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Seconds of the dispatcher's processor for a delivery: the greater of those of a full topic and of a steady rate. */
const cpuS = ({ cpu_s_per_10k: full = Number.NaN, steady_1000_cpu_us: steady = 0 }: Figures) =>
  Math.max(full / 10_000, steady / 1e6);

/** Resources for a rate and a latency. */
interface Needs {
  readonly underWay: number;
  readonly replicas: number;
  /** Sockets to endpoints in each replica. */
  readonly sockets: number;
  readonly connections: number;
}

/** Computes by Little's law: requests under way are the rate times the mean time that a request takes. */
export function needsOf(perS: number, answerMs: number, cpuS: number): Needs {
  const underWay = (perS * answerMs) / 1_000;
  const used = Math.max(perS * cpuS, underWay / UNDER_WAY_MAX);
  const replicas = Math.ceil(used / USED_PART);
  const sockets = Math.ceil(underWay / replicas);
  return { underWay, replicas, sockets, connections: replicas * CONNECTIONS };
}
