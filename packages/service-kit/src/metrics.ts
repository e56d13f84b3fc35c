import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  /** Where a service registers its own. */
  readonly registry: Registry;
  readonly http: Histogram<'method' | 'route' | 'status'>;
  readonly grpc: Histogram<'method' | 'code'>;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One for each process: Node's own metrics, and how long each door took to answer. */
export function metrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });

  return {
    registry,
    http: new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'From the request line to the end of the answer, by route pattern.',
      labelNames: ['method', 'route', 'status'],
      buckets: SECONDS,
      registers: [registry],
    }),
    grpc: new Histogram({
      name: 'grpc_server_call_duration_seconds',
      help: 'From the call to its status, by method.',
      labelNames: ['method', 'code'],
      buckets: SECONDS,
      registers: [registry],
    }),
  };
}

/** A gauge that is asked for when it is read. What cannot be told just now is NaN. */
export function observed(
  { registry }: Pick<Metrics, 'registry'>,
  { name, help }: { readonly name: string; readonly help: string },
  read: () => Promise<number>,
): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    async collect() {
      this.set(await read().catch(() => Number.NaN));
    },
  });
  registry.registerMetric(gauge);
}
