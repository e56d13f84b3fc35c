import type { Meter } from '@junction/service-kit/process';
import { type ClientName, clientNamed } from '../domain/connection/events.js';

/** Labels of metrics that are counted by client. */
export const CLIENT_LABELS = ['identity_provider', 'provider'] as const;

export function clientLabels(name: ClientName) {
  const { identityProvider, provider } = clientNamed(name);
  return { identity_provider: identityProvider, provider };
}

/** Registers gauges that are read together, each with a value for every client. */
export function gaugesByClient<Row extends { readonly client: ClientName }>(
  meter: Meter,
  read: () => Promise<readonly Row[]>,
  gauges: readonly (readonly [name: string, help: string, valueOf: (row: Row) => number])[],
): void {
  for (const [name, help, valueOf] of gauges) {
    meter.gauge(name, help, CLIENT_LABELS, async () =>
      (await read()).map((row) => ({ value: valueOf(row), labels: clientLabels(row.client) })),
    );
  }
}
