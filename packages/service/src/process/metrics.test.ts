import { describe, expect, it } from '@jest/globals';
import { metrics } from './metrics.js';

describe('a meter', () => {
  it('reads gauges at each scrape, and drops samples that are gone', async () => {
    const { meter, registry } = metrics('test');
    let states = ['running', 'lost'];
    meter.gauge('partitions', 'By state.', ['state'], () =>
      states.map((state) => ({ value: 1, labels: { state } })),
    );
    expect(await valuesOf(registry, 'partitions')).toEqual([
      'partitions{state="running",service="test"} 1',
      'partitions{state="lost",service="test"} 1',
    ]);
    states = ['running'];
    expect(await valuesOf(registry, 'partitions')).toHaveLength(1);
  });

  it('gives a gauge no value while it cannot be read, and reads all others', async () => {
    const { meter, registry } = metrics('test');
    let isDown = true;
    meter.gauge('rows', 'Rows.', [], async () => {
      if (isDown) throw new Error('the database is away');
      return [{ value: 7 }];
    });
    meter.gauge('lanes', 'Lanes.', [], () => [{ value: 16 }]);
    expect(await valuesOf(registry, 'rows')).toEqual([]);
    expect(await valuesOf(registry, 'lanes')).toEqual(['lanes{service="test"} 16']);
    isDown = false;
    expect(await valuesOf(registry, 'rows')).toEqual(['rows{service="test"} 7']);
  });

  it('counts what happens by its labels', async () => {
    const { meter, registry } = metrics('test');
    const happened = meter.counter('calls_total', 'Calls.', ['outcome']);
    happened({ outcome: 'good' });
    happened({ outcome: 'good' });
    happened({ outcome: 'bad' });
    expect(await valuesOf(registry, 'calls_total')).toEqual([
      'calls_total{outcome="good",service="test"} 2',
      'calls_total{outcome="bad",service="test"} 1',
    ]);
  });

  it('counts each value in every bucket whose bound it does not pass', async () => {
    const { meter, registry } = metrics('test');
    const observe = meter.histogram('wait_seconds', 'Waits.', [0.1, 1]);
    for (const seconds of [0.1, 0.5, 3]) observe(seconds);
    expect(await valuesOf(registry, 'wait_seconds_bucket')).toEqual([
      'wait_seconds_bucket{le="0.1",service="test"} 1',
      'wait_seconds_bucket{le="1",service="test"} 2',
      'wait_seconds_bucket{le="+Inf",service="test"} 3',
    ]);
  });
});

async function valuesOf(registry: { metrics(): Promise<string> }, name: string) {
  const lines = (await registry.metrics()).split('\n');
  return lines.filter((line) => line.startsWith(name));
}
