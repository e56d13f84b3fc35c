import type { Meter } from '@junction/service/process';
import { type ClientName, clientNamed } from '../domain/connection/events.js';

/** Labels of metrics that are counted by client. */
export const CLIENT_LABELS = ['identity_provider', 'provider'] as const;

export function clientLabels(name: ClientName) {
  const { identityProvider, provider } = clientNamed(name);
  return { identity_provider: identityProvider, provider };
}

/** Returns what registers a gauge with a value for every client that is read. */
export const clientGauge =
  <Row extends { readonly client: ClientName }>(
    meter: Meter,
    read: () => Promise<readonly Row[]>,
  ) =>
  (name: string, help: string, valueOf: (row: Row) => number): void =>
    meter.gauge(name, help, CLIENT_LABELS, async () =>
      (await read()).map((row) => ({ value: valueOf(row), labels: clientLabels(row.client) })),
    );
