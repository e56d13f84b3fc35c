import type { Meter } from './metrics.js';

/** Gauge of what is read at a scrape. One with a label has a value for each value of the label. */
export type Gauge<Read> = readonly [
  name: string,
  help: string,
  valueOf: (read: Read) => number | Readonly<Record<string, number>>,
  label?: string,
];

/** Registers gauges that one read gives. */
export function registerGauges<Read>(
  meter: Meter,
  read: () => Promise<Read>,
  gauges: readonly Gauge<Read>[],
): void {
  for (const [name, help, valueOf, label = ''] of gauges) {
    meter.gauge(name, help, label === '' ? [] : [label], async () => {
      const value = valueOf(await read());
      if (typeof value === 'number') return [{ value }];
      return Object.entries(value).map(([key, value]) => ({ value, labels: { [label]: key } }));
    });
  }
}
