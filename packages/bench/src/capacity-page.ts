import { NODE24, shown } from './budgets.js';
import { meanAnswerMs } from './dispatch/answer-times.js';
import { bytesInKafka } from './dispatch/events.js';
import { MEDIANS_MS } from './dispatch/real-receivers.js';
import { withTable } from './performance-page.js';
import type { Baseline } from './report.js';
import type { Figures } from './suite.js';

const DELIVERIES_PER_S = [500, 1_000, 5_000, 20_000] as const;
const ANSWER_MS = 300;
/** Portion of the attempts that fail. */
const FAILING = 0.05;

/** Portion of a thread, or of the requests at once, that is planned with: a replica may be lost, and peaks come. */
const USED_PART = 0.6;
/** Replicas at least: another must be able to take over. */
const REPLICAS_MIN = 2;
/** Requests that a replica of the dispatcher has under way at most, by the class of their endpoint. */
const AT_ONCE_MAX = { responsive: 3_000, others: 1_000 } as const;
/** Time that an attempt to an endpoint without an answer takes (WEBHOOK_ATTEMPT_TIMEOUT_S). */
const ATTEMPT_S = 15;
const PARTITIONS = 12;
/** Connections of a replica to Postgres at most, with the DATABASE_POOL_MAX of the production overlay. */
const CONNECTIONS = 12;
const DAY_S = 86_400;
/** Days for which Kafka keeps events. */
const KAFKA_DAYS = 3;
/** Processors of one primary of Postgres, from small to the largest that are common. */
const PRIMARY_PROCESSORS = [2, 4, 8, 16, 32, 64] as const;
const GB = 1e9;
/** Rates at which a steady load was measured. */
const MEASURED_PER_S = [20, 200, 1_000] as const;

/** Returns the page with its tables made from the accepted runs. Throws when the page has no place for one. */
export function withCapacityTables(page: string, { dispatch, integrations }: Baseline): string {
  if (!dispatch || !integrations) return page;
  const figures = onImagesNode({ ...integrations.figures, ...dispatch.figures });
  const withReceivers = withTable(page, 'receivers', receiversTable(dispatch.figures));
  const withNeeds = withTable(withReceivers, 'needs', needsTable(figures));
  return withTable(withNeeds, 'primary', primaryTable(dispatch.figures));
}

/** Returns the figures with those of the images' Node in the place of the others, where they were measured. */
const onImagesNode = (figures: Figures): Figures => ({
  ...figures,
  ...Object.fromEntries(
    Object.entries(figures)
      .filter(([name]) => name.startsWith(NODE24))
      .map(([name, value]) => [name.slice(NODE24.length), value]),
  ),
});

function receiversTable(figures: Figures): string {
  const rows = Object.entries(MEDIANS_MS).map(([name, medianMs]) => {
    const underWay = figures[`${name}_under_way`] ?? Number.NaN;
    const meanMs = meanAnswerMs(medianMs);
    return row(shown(medianMs), [Math.round(meanMs), (underWay * 1_000) / meanMs, underWay]);
  });
  return table('median ms', ['mean ms', 'deliveries a second', 'requests under way'], rows);
}

function needsTable(figures: Figures): string {
  const all = DELIVERIES_PER_S.map((perS) => needsOf({ perS, answerMs: ANSWER_MS, figures }));
  const names = Object.keys(all[0] ?? {}) as (keyof Needs)[];
  const rows = names.map((name) =>
    row(
      name,
      all.map((needs) => needs[name]),
    ),
  );
  return table('deliveries a second', DELIVERIES_PER_S.map(shown), rows);
}

/** Returns what one primary bears: deliveries of a full topic that several replicas share, and the log of those. */
function primaryTable(figures: Figures): string {
  const { replicas_4_postgres_us: us = Number.NaN, receivers_100ms_wal_bytes: bytes = Number.NaN } =
    figures;
  const perS = PRIMARY_PROCESSORS.map((processors) => (processors * USED_PART * 1e6) / us);
  const logMb = perS.map((each) => (each * bytes) / 1e6);
  const rows = [row('deliveries a second', perS), row('MB of its log a second', logMb)];
  return table('processors of Postgres', PRIMARY_PROCESSORS.map(String), rows);
}

const row = (name: string, values: readonly number[]): string =>
  `| ${[name, ...values.map((value) => (Number.isNaN(value) ? 'not measured' : shown(value)))].join(' | ')} |`;

const table = (first: string, columns: readonly string[], rows: readonly string[]): string =>
  [`| ${[first, ...columns].join(' | ')} |`, `|${'---|'.repeat(columns.length + 1)}`, ...rows].join(
    '\n',
  );

/** A deployment's resources, by the names that the page has for them. */
type Needs = ReturnType<typeof needsOf>;

interface Load {
  /** Deliveries a second. */
  readonly perS: number;
  /** Mean milliseconds until an endpoint's answer. */
  readonly answerMs: number;
  readonly figures: Figures;
}

/** Computes by Little's law: requests under way are the rate times the mean time that a request takes. */
export function needsOf({ perS, answerMs, figures }: Load) {
  const figure = (name: string) => figures[name] ?? Number.NaN;
  const steadily = (name: string, atPerS: number) =>
    used(atPerS, (measured) => (measured * figure(`steady_${measured}_${name}_us`)) / 1e6);
  const attempts = perS / (1 - FAILING);
  const underWay = (attempts * answerMs) / 1_000;
  const replicas = replicasOf(
    steadily('cpu', attempts),
    (attempts * figure('cpu_s_per_10k')) / 10_000,
    underWay / AT_ONCE_MAX.responsive,
  );
  const hanging = Math.min(attempts * FAILING * ATTEMPT_S, replicas * AT_ONCE_MAX.others);
  const integrations = replicasOf(perS / figure('vend_per_cpu_s'));
  const dayGb = (name: string) => (attempts * figure(name) * DAY_S) / GB;
  const rowsGb = dayGb('bytes_per_delivery');
  return {
    'attempts a second': attempts,
    'requests under way': underWay,
    '… to endpoints that hang, at most': hanging,
    'replicas of the dispatcher': replicas,
    'sockets of each': Math.ceil((underWay + hanging) / replicas),
    'partitions that each reads, at most': Math.ceil(PARTITIONS / replicas),
    'replicas of integrations': integrations,
    'replicas of auth': REPLICAS_MIN,
    'connections of the dispatcher': connectionsOf(replicas),
    '… of integrations': connectionsOf(integrations),
    '… of auth': connectionsOf(REPLICAS_MIN),
    'processors of Postgres': steadily('postgres', attempts) / USED_PART,
    'GB of its rows a day': rowsGb,
    '… in 7 days': rowsGb * 7,
    '… in 30 days': rowsGb * 30,
    'GB of its log a day': dayGb('receivers_100ms_wal_bytes'),
    '… right after a checkpoint': dayGb('latency_receivers_wal_bytes'),
    'processors of Kafka': steadily('kafka', perS) / USED_PART,
    'GB of events on each broker': (perS * bytesInKafka() * DAY_S * KAFKA_DAYS) / GB,
    'deliveries that wait after 3 days': perS * FAILING * DAY_S * KAFKA_DAYS,
  } as const;
}

const replicasOf = (...used: readonly number[]): number =>
  Math.max(REPLICAS_MIN, Math.ceil(Math.max(...used) / USED_PART));

/** Returns the connections of these replicas and of one more, which a rollout adds. */
const connectionsOf = (replicas: number): number => (replicas + 1) * CONNECTIONS;

/**
 * Returns the processors that a rate uses: between two measured rates in proportion, and beyond the last as much for
 * each delivery as there.
 */
function used(perS: number, at: (measuredPerS: number) => number): number {
  const upper = MEASURED_PER_S.find((measured) => measured > perS);
  const lower = MEASURED_PER_S.findLast((measured) => measured <= perS);
  if (lower === undefined) return at(MEASURED_PER_S[0]);
  if (upper === undefined) return (at(lower) * perS) / lower;
  return at(lower) + ((at(upper) - at(lower)) * (perS - lower)) / (upper - lower);
}
