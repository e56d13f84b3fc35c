import { FIRST, GRPC, graph, HTTP, PROCESSES, quantile, quantiles, ratePer } from './queries.mjs';

export const product = {
  title: 'Junction: product',
  rows: {
    'Is it well': [
      graph('Replicas that answer', 'short', ['sum by (job) (up{job="junction"})', 'replicas']),
      graph('Checks that fail', 'short', [
        'sum by (service, check) (junction_health_check_failing)',
        '{{service}} {{check}}',
      ]),
      graph('Events to their first attempt', 's', ...quantiles(FIRST)),
    ],
    Requests: [
      graph('Requests', 'reqps', [ratePer(`${HTTP}_count`, 'service'), '{{service}}']),
      graph('Errors of ours', 'percentunit', [
        `sum by (service) (rate(${HTTP}_count{status=~"5.."}[$__rate_interval])) / ${ratePer(`${HTTP}_count`, 'service')}`,
        '{{service}}',
      ]),
      graph('Time to answer, p99', 's', [quantile(0.99, HTTP, 'service'), '{{service}}']),
      graph('Slowest routes, p99', 's', [
        `topk(10, ${quantile(0.99, HTTP, 'service, method, route')})`,
        '{{method}} {{route}}',
      ]),
      graph('gRPC calls', 'reqps', [
        ratePer(`${GRPC}_count`, 'service, method'),
        '{{service}} {{method}}',
      ]),
      graph('gRPC calls that fail', 'reqps', [
        `sum by (service, method, code) (rate(${GRPC}_count{code!="OK"}[$__rate_interval]))`,
        '{{method}} {{code}}',
      ]),
    ],
    Mail: [
      graph('Mails', 'short', [
        'sum by (outcome) (increase(junction_mails_total[$__rate_interval]))',
        '{{outcome}}',
      ]),
      graph('Mail that waits', 's', ['max(junction_mail_oldest_age_seconds)', 'oldest']),
    ],
    Processes: PROCESSES,
  },
};
