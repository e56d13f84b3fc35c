import { build } from '@junction/telemetry';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Label values by name. */
type Labels = Readonly<Record<string, string>>;

/** Value at one moment. */
export interface Sample {
  readonly value: number;
  readonly labels?: Labels;
}

/**
 * Registry of metrics, without a word of prom-client. Names begin with `junction_`; names and units are Prometheus's:
 * seconds, and no label with more than a few hundred values. docs/metrics.md lists all metrics.
 */
export interface Meter {
  /** Registers a gauge. `read` is called at each scrape; when it rejects, the gauge has no value. */
  gauge(
    name: string,
    help: string,
    labels: readonly string[],
    read: () => readonly Sample[] | Promise<readonly Sample[]>,
  ): void;
  histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    labels?: readonly string[],
  ): (value: number, labels?: Labels) => void;
  /** Counts what happened since the process started, once or `times`, by labels. The name ends in `_total`. */
  counter(
    name: string,
    help: string,
    labels: readonly string[],
  ): (labels: Labels, times?: number) => void;
}

export interface Metrics {
  /** Registry for a service's own metrics. */
  readonly registry: Registry;
  readonly http: Histogram<'method' | 'route' | 'status'>;
  readonly grpc: Histogram<'method' | 'code'>;
  /** Meter of the same registry, for packages that know no prom-client. */
  readonly meter: Meter;
}

/**
 * Milliseconds between samples of the event loop's delay, which the percentiles contain. The default of 10 ms wakes an
 * idle process a hundred times a second, which was a fifth to a half of its work.
 */
const LAG_SAMPLED_EVERY_MS = 100;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates the metrics of a process: Node's own metrics, and how long each server took to answer. */
export function metrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({
    register: registry,
    eventLoopMonitoringPrecision: LAG_SAMPLED_EVERY_MS,
  });

  const ofProcess = meter(registry);
  const labels = { ...build() };
  ofProcess.gauge(
    'junction_build_info',
    '1, with what the process was built of.',
    Object.keys(labels),
    () => [{ value: 1, labels }],
  );
  return {
    registry,
    meter: ofProcess,
    http: new Histogram({
      name: 'junction_http_server_request_duration_seconds',
      help: 'From the request line to the end of the answer, by route pattern.',
      labelNames: ['method', 'route', 'status'],
      buckets: SECONDS,
      registers: [registry],
    }),
    grpc: new Histogram({
      name: 'junction_grpc_server_call_duration_seconds',
      help: 'From the call to its status, by method.',
      labelNames: ['method', 'code'],
      buckets: SECONDS,
      registers: [registry],
    }),
  };
}

/** Creates a meter. A gauge that cannot be read has no value for that scrape; the others have theirs. */
const meter = (registry: Registry): Meter => ({
  gauge(name, help, labelNames, read) {
    const gauge = new Gauge({ name, help, labelNames, registers: [], collect });
    async function collect(): Promise<void> {
      const samples = await Promise.resolve()
        .then(read)
        .catch(() => []);
      gauge.reset();
      // Without labels a reset leaves a zero behind, which would be read as a measure.
      if (labelNames.length === 0) gauge.remove();
      for (const { value, labels = {} } of samples) gauge.set(labels, value);
    }
    registry.registerMetric(gauge);
  },
  histogram(name, help, buckets, labelNames = []) {
    const registers = [registry];
    const histogram = new Histogram({ name, help, buckets: [...buckets], labelNames, registers });
    return (value, labels = {}) => histogram.observe(labels, value);
  },
  counter(name, help, labels) {
    const counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] });
    return (of, times) => counter.inc(of, times);
  },
});
