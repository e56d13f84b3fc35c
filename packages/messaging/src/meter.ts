/** A number at one moment. */
interface Sample {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** As much of a registry of metrics as this package needs; the `Meter` of service-kit is one. */
export interface Meter {
  /** `read` is called at each scrape. */
  gauge(
    name: string,
    help: string,
    labels: readonly string[],
    read: () => readonly Sample[] | Promise<readonly Sample[]>,
  ): void;
  histogram(name: string, help: string, buckets: readonly number[]): (value: number) => void;
}
