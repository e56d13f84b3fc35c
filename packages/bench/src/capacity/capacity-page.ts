import { between } from '../between.js';
import { shown } from '../budgets.js';
import type { Result } from '../report.js';
import { type Plan, planFor } from './plan.js';

const STEPS = [1_000, 10_000, 100_000];

const COSTS: readonly (readonly [figure: string, unit: string, what: string])[] = [
  ['delivery_sending_us', 'µs', 'a delivery: the dispatcher, on its one thread'],
  ['delivery_helping_us', 'µs', 'a delivery: the dispatcher, on its other threads'],
  ['delivery_postgres_us', 'µs', 'a delivery: Postgres'],
  ['delivery_kafka_us', 'µs', 'a delivery: Kafka, one broker'],
  ['delivery_wal_bytes', 'bytes', "a delivery: Postgres' write-ahead log"],
  ['delivery_stored_bytes', 'bytes', 'a delivery: kept in the database, indexes included'],
  ['delivery_sent_bytes', 'bytes', 'a delivery: the request'],
  ['event_us', 'µs', 'an event that no webhook wants: the dispatcher'],
  ['event_stored_bytes', 'bytes', 'an event that no webhook wants: kept in the database'],
  ['idle_webhook_stored_bytes', 'bytes', 'a webhook without events: kept in the database'],
  ['idle_replica_cpu_percent', '%', 'a dispatcher that has 100,000 webhooks and nothing to do'],
  ['idle_replica_rss_mb', 'MB', 'the same: its memory'],
  ['connect_us', 'µs', 'a mailbox that is connected: integrations'],
  ['connection_stored_bytes', 'bytes', 'a connection: kept in the database'],
  ['refresh_us', 'µs', 'a token that is refreshed: integrations'],
  ['refresh_stored_bytes', 'bytes', 'a token that is refreshed: kept in the database'],
  ['vend_us', 'µs', 'a token that is handed out: integrations'],
];

const NEEDS: readonly (readonly [need: keyof Plan, what: string])[] = [
  ['replicas', 'replicas of the dispatcher'],
  ['dispatcherCores', 'their cores'],
  ['postgresCores', "Postgres' cores"],
  ['kafkaCores', "Kafka's cores, one copy of each record"],
  ['walMbPerS', "Postgres' writes, MB/s"],
  ['sentMbPerS', 'requests, MB/s'],
  ['storedGbPerDay', 'kept of a day, GB'],
  ['storedTb', 'kept of 30 days, TB'],
];

/** The page with fresh tables of costs, of replicas and of what each step needs, made from the accepted run. */
export function withCapacityTables(page: string, { figures, cpu, commit }: Result): string {
  const costs = COSTS.map(
    ([figure, unit, what]) => `| ${what} | ${shown(figures[figure] ?? Number.NaN)} ${unit} |`,
  );
  const replicas = [1, 2, 4].map((count) => {
    const of = (name: string) => shown(figures[`replicas_${count}_${name}`] ?? Number.NaN);
    return `| ${count} | ${of('per_s')} | ${of('simulated_per_s')} | ${of('error')} |`;
  });
  const plans = STEPS.map((perS) => planFor(perS, figures));
  const needs = NEEDS.map(
    ([need, what]) => `| ${what} | ${plans.map((plan) => shown(plan[need])).join(' | ')} |`,
  );
  return [
    ['costs', [`| what | ${cpu}, at ${commit} |`, '|---|---|', ...costs]],
    [
      'replicas',
      ['| replicas | measured, a second | simulated | error |', '|---|---|---|---|', ...replicas],
    ],
    [
      'needs',
      [`| deliveries a second | ${STEPS.map(shown).join(' | ')} |`, '|---|---|---|---|', ...needs],
    ],
  ].reduce(
    (text, [name, lines]) => between(text, name as string, (lines as string[]).join('\n')),
    page,
  );
}
