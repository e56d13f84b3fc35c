// Queries of Prometheus that several dashboards use.

/** A graph: its title, the unit of its axis (Grafana's word), and what is drawn as [PromQL, legend]. */
export const graph = (title, unit, ...lines) => ({ title, unit, lines });

export const ratePer = (metric, labels) => `sum by (${labels}) (rate(${metric}[$__rate_interval]))`;
export const quantile = (q, metric, labels = '') =>
  `histogram_quantile(${q}, sum by (${['le', labels].filter(Boolean).join(', ')}) (rate(${metric}_bucket[$__rate_interval])))`;
export const quantiles = (metric) =>
  [0.5, 0.95, 0.99].map((q) => [quantile(q, metric), `p${q * 100}`]);

export const HTTP = 'junction_http_server_request_duration_seconds';
export const GRPC = 'junction_grpc_server_call_duration_seconds';
export const ATTEMPT = 'junction_delivery_attempt_duration_seconds';
export const FIRST = 'junction_delivery_first_attempt_delay_seconds';

export const PROCESSES = [
  graph('Processor', 'percentunit', [
    'rate(process_cpu_seconds_total[$__rate_interval])',
    '{{service}} {{instance}}',
  ]),
  graph('Memory', 'bytes', ['process_resident_memory_bytes', '{{service}} {{instance}}']),
  graph('Delay of the event loop, p99', 's', [
    'nodejs_eventloop_lag_p99_seconds',
    '{{service}} {{instance}}',
  ]),
];
