import { graph, ratePer } from './queries.mjs';

export const events = {
  title: 'Junction: event store and Kafka',
  rows: {
    'From Postgres to Kafka': [
      graph('Rows of the outbox', 'short', [
        'max by (service) (junction_outbox_rows)',
        '{{service}}',
      ]),
      graph('The oldest row', 's', [
        'max by (service) (junction_outbox_oldest_row_age_seconds)',
        '{{service}}',
      ]),
      graph('Rows sent', 'cps', [
        ratePer('junction_outbox_batch_rows_sum', 'service'),
        '{{service}}',
      ]),
      graph(
        'Lanes that are sent, of 16',
        'short',
        ['sum by (service) (junction_outbox_relay_lanes)', '{{service}}'],
        ['min by (service) (junction_outbox_relay_up)', '{{service}} well'],
      ),
    ],
    'From Kafka': [
      graph('Lag', 'short', [
        'sum by (service, consumer, topic) (max by (service, consumer, topic, partition) (junction_consumer_lag_records))',
        '{{consumer}} {{topic}}',
      ]),
      graph('Records handled', 'cps', [
        'sum by (service, consumer) (max by (service, consumer, topic, partition) (rate(junction_consumer_offset_records[$__rate_interval])))',
        '{{service}} {{consumer}}',
      ]),
      graph(
        'Partitions by state',
        'short',
        [
          'sum by (service, consumer, state) (junction_consumer_partitions)',
          '{{service}} {{consumer}} {{state}}',
        ],
        ['min by (service, consumer) (junction_consumer_up)', '{{service}} {{consumer}} well'],
      ),
      graph('Dead letters that are open', 'short', [
        'max by (service, consumer, topic) (junction_dead_letters_open)',
        '{{consumer}} {{topic}}',
      ]),
      graph('Records set aside', 'short', [
        'sum by (service, consumer, topic) (increase(junction_dead_letters_total[$__rate_interval]))',
        '{{consumer}} {{topic}}',
      ]),
    ],
    Postgres: [
      graph(
        'Connections',
        'short',
        [
          'sum by (service, pool, state) (junction_postgres_connections)',
          '{{service}} {{pool}} {{state}}',
        ],
        [
          'sum by (service, pool) (junction_postgres_connections_max)',
          '{{service}} {{pool}} at most',
        ],
      ),
      graph('Waiting for a connection', 'short', [
        'sum by (service, pool) (junction_postgres_waiting)',
        '{{service}} {{pool}}',
      ]),
      graph('The oldest transaction that holds readers up', 's', [
        'max by (service) (junction_reader_fence_age_seconds)',
        '{{service}}',
      ]),
    ],
    'Keys and certificates': [
      graph('Certificates end in', 's', [
        'min by (service, file) (junction_certificate_expiry_timestamp_seconds) - time()',
        '{{service}} {{file}}',
      ]),
      graph('Age of signing keys', 's', [
        'max by (service, key) (junction_signing_key_age_seconds)',
        '{{key}}',
      ]),
    ],
  },
};
