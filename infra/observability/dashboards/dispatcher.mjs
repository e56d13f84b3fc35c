import { ATTEMPT, FIRST, graph, PROCESSES, quantile, quantiles, ratePer } from './queries.mjs';

export const dispatcher = {
  title: 'Junction: dispatcher',
  rows: {
    Deliveries: [
      graph('Attempts by result', 'reqps', [
        ratePer('junction_delivery_attempts_total', 'result'),
        '{{result}}',
      ]),
      graph('Deliveries that ended', 'reqps', [
        ratePer('junction_deliveries_ended_total', 'status'),
        '{{status}}',
      ]),
      graph('Events to their first attempt', 's', ...quantiles(FIRST)),
      graph(
        'Time of an attempt',
        's',
        [quantile(0.99, ATTEMPT, 'outcome'), 'p99 {{outcome}}'],
        [quantile(0.5, ATTEMPT, 'outcome'), 'p50 {{outcome}}'],
      ),
      graph('The oldest that is due', 's', [
        'max(junction_delivery_oldest_due_age_seconds)',
        'oldest',
      ]),
      graph(
        'Due, and pending',
        'short',
        ['max(junction_deliveries_due)', 'due'],
        ['max by (status) (junction_deliveries_pending)', '{{status}}'],
      ),
    ],
    Receivers: [
      graph('Requests under way', 'short', [
        'sum by (receivers) (junction_deliveries_under_way)',
        '{{receivers}}',
      ]),
      graph(
        'Webhooks',
        'short',
        ['max by (status) (junction_webhooks)', '{{status}}'],
        ['max(junction_webhooks_failing)', 'failing'],
      ),
      graph(
        'Circuits, and hosts without credit',
        'short',
        ['max by (state) (junction_circuits)', '{{state}}'],
        ['sum(junction_hosts_held)', 'hosts'],
      ),
      graph('Changes of circuits', 'short', [
        'sum by (to) (increase(junction_circuit_changes_total[$__rate_interval]))',
        '{{to}}',
      ]),
    ],
    Shards: [
      graph(
        'Shards owned, of 48',
        'short',
        ['junction_shards_owned', '{{instance}}'],
        ['sum(junction_shards_owned)', 'all'],
      ),
      graph('Changes of shards', 'short', [
        'sum by (change) (increase(junction_shard_changes_total[$__rate_interval]))',
        '{{change}}',
      ]),
    ],
    Processes: PROCESSES.map(({ lines: [[expr, legend]], ...rest }) => ({
      ...rest,
      lines: [
        [
          expr.replace(/([a-z]_(total|bytes|seconds))(?=\[|$)/, '$1{service="webhook-dispatcher"}'),
          legend,
        ],
      ],
    })),
  },
};
