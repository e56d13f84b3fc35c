import { GRPC, graph, ratePer } from './queries.mjs';

export const integrations = {
  title: 'Junction: integrations',
  rows: {
    Connections: [
      graph('Connections', 'short', [
        'max by (identity_provider, provider, status) (junction_connections)',
        '{{identity_provider}} {{provider}} {{status}}',
      ]),
      graph('A revocation may stay unnoticed for', 's', [
        'max by (identity_provider, provider) (junction_connection_check_delay_seconds)',
        '{{identity_provider}} {{provider}}',
      ]),
    ],
    Tokens: [
      graph('Refreshes by outcome', 'reqps', [
        ratePer('junction_token_refreshes_total', 'outcome'),
        '{{outcome}}',
      ]),
      graph('Refreshes that gave no token', 'reqps', [
        'sum by (identity_provider, provider, outcome) (rate(junction_token_refreshes_total{outcome!~"refreshed|late"}[$__rate_interval]))',
        '{{identity_provider}} {{provider}} {{outcome}}',
      ]),
      graph('Refreshes that are due', 'short', [
        'max by (identity_provider, provider) (junction_token_refreshes_due)',
        '{{identity_provider}} {{provider}}',
      ]),
      graph('The refresh that is due longest', 's', [
        'max by (identity_provider, provider) (junction_token_refresh_oldest_due_seconds)',
        '{{identity_provider}} {{provider}}',
      ]),
      graph('Tokens handed out', 'reqps', [
        `sum by (code) (rate(${GRPC}_count{service="integrations"}[$__rate_interval]))`,
        '{{code}}',
      ]),
    ],
    Revocations: [
      graph('To be revoked at the provider', 'short', [
        'max by (identity_provider, provider) (junction_revocations_pending)',
        '{{identity_provider}} {{provider}}',
      ]),
      graph('The oldest of them', 's', [
        'max by (identity_provider, provider) (junction_revocation_oldest_age_seconds)',
        '{{identity_provider}} {{provider}}',
      ]),
    ],
  },
};
