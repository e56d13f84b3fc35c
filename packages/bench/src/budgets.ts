/** The bound that a figure must keep. */
export type Budget = { readonly atLeast: number } | { readonly atMost: number };

export type Budgets = Readonly<Record<string, Budget>>;

/** Budgets of the dispatcher relative to the least program that does the same, on either version of Node. */
const BESIDE_BARE = {
  limit_ratio: { atLeast: 0.8 },
  bad_records_ratio: { atLeast: 0.8 },
  latency_200_p50_ratio: { atMost: 1.5 },
  latency_200_p99_ratio: { atMost: 2 },
  latency_1000_p50_ratio: { atMost: 2 },
  latency_1000_p99_ratio: { atMost: 3 },
  steady_200_cpu_ratio: { atMost: 1.3 },
} as const;

/** Prefix of the figures that were measured on the Node of the images. */
export const NODE24 = 'node24_';

/** Puts the prefix in front of each name. */
export const onNode24 = <T>(byName: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(byName).map(([name, value]) => [NODE24 + name, value]));

/** The product's budgets for two cores with everything on one machine, by suite and figure. */
export const BUDGETS = {
  dispatch: {
    ...BESIDE_BARE,
    ...onNode24(BESIDE_BARE),
    https_limit_ratio: { atLeast: 0.8 },
    receivers_100ms_wal_bytes: { atMost: 1_900 },
    latency_receivers_ratio: { atLeast: 0.8 },
    latency_receivers_rows: { atMost: 2.1 },
    cold_ratio: { atLeast: 0.7 },
    replicas_2_ratio: { atLeast: 1.9 },
    replicas_4_ratio: { atLeast: 3.5 },
    replicas_doubled: { atMost: 0 },
    sql_per_delivery: { atMost: 0.05 },
    bytes_per_delivery: { atMost: 1_536 },
    unresponsive_p50_ratio: { atMost: 1.2 },
    unresponsive_p99_of_budget: { atMost: 1 },
    recovery_kafka_s: { atMost: 15 },
    recovery_postgres_s: { atMost: 3 },
    takeover_s: { atMost: 10 },
    rss_mb: { atMost: 160 },
    rss_slope_mb_per_min: { atMost: 1 },
    rss_100k_webhooks_mb: { atMost: 250 },
  },
  eventsourcing: {
    append_16_ratio: { atLeast: 0.5 },
    append_16_plain_ratio: { atLeast: 0.6 },
    append_batch_gain: { atLeast: 4.5 },
    outbox_ack_p50_ms: { atMost: 3 },
    outbox_ack_p99_ms: { atMost: 15 },
    relay_per_s: { atLeast: 20_000 },
    idle_cpu_percent: { atMost: 2 },
  },
  integrations: {
    vend_p99_ratio: { atMost: 1.5 },
    vend_per_s: { atLeast: 1_500 },
    vend_refreshing_per_s: { atLeast: 1_500 },
    vend_refreshing_1000_p99_ms: { atMost: 10 },
    refresh_saved_cpu_ms: { atMost: 2 },
    refresh_saved_get_p50_ratio: { atMost: 2 },
    refresh_refused_cpu_ms: { atMost: 2 },
    refresh_refused_get_p50_ratio: { atMost: 2 },
    login_cpu_ratio: { atMost: 1.2 },
  },
  'rolling-restart': { delivery_max_ms: { atMost: 3_000 } },
  year: {
    backlog_ratio: { atLeast: 0.9 },
    waiting_5k_webhooks_ratio: { atLeast: 0.8 },
    waiting_50k_webhooks_ratio: { atLeast: 0.8 },
    replay_ratio: { atLeast: 0.5 },
    kept_wal_bytes: { atMost: 2_500 },
    fair_live_p50_ratio: { atMost: 2 },
    fair_live_p99_more_ms: { atMost: 50 },
    fair_reads_p50_ratio: { atMost: 2 },
    fair_reads_p99_more_ms: { atMost: 50 },
    fair_refused: { atMost: 0 },
    fair_rss_mb: { atMost: 400 },
    statistics_cpu_ratio: { atMost: 5 },
    empty_page_cpu_ratio: { atMost: 10 },
  },
} as const satisfies Readonly<Record<string, Budgets>>;

export const isKept = (value: number, budget: Budget): boolean =>
  'atLeast' in budget ? value >= budget.atLeast : value <= budget.atMost;

export const budgetInWords = (budget: Budget): string =>
  'atLeast' in budget ? `≥ ${shown(budget.atLeast)}` : `≤ ${shown(budget.atMost)}`;

/** Three digits say all that a run can tell. */
export const shown = (value: number): string =>
  value >= 1_000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
