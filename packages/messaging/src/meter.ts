/** A number at one moment. */
interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The part of a registry of metrics that this package needs; the `Meter` of packages/service fits. */
export interface Meter {
  /** Registers a gauge; `read` is called at each scrape. */
  gauge(
    name: string,
    help: string,
    labels: readonly string[],
    read: () => readonly Sample[] | Promise<readonly Sample[]>,
  ): void;
  histogram(name: string, help: string, buckets: readonly number[]): (value: number) => void;
}
