/** A number at one moment. */
export interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * Where this package's measures go. `meter(registry)` of @junction/service-kit is one, on prom-client.
 * Names and units are Prometheus's: seconds, and no label with more than a few hundred values.
 */
export interface Meter {
  /** `read` is called at each scrape; when it rejects, the gauge has no value, which says so. */
  gauge(
    name: string,
    help: string,
    labels: readonly string[],
    read: () => readonly Sample[] | Promise<readonly Sample[]>,
  ): void;
  histogram(name: string, help: string, buckets: readonly number[]): (value: number) => void;
  /** Counts what happened since the process started, by labels. The name ends in `_total`. */
  counter(
    name: string,
    help: string,
    labels: readonly string[],
  ): (labels: Readonly<Record<string, string>>) => void;
}
