import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { recordsIn } from '../report.js';
import { withCapacityTables } from './capacity-page.js';
import { planFor } from './plan.js';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

describe('docs/capacity.md', () => {
  it('shows the accepted run of bench/baseline.json', () => {
    const page = readFileSync(path.join(ROOT, 'docs/capacity.md'), 'utf8');
    const { capacity } = recordsIn(path.join(ROOT, 'bench')).baseline();
    expect(capacity).toBeDefined();
    if (capacity) expect(page).toBe(withCapacityTables(page, capacity));
  });
});

describe('the plan for a number of deliveries', () => {
  const costs = {
    delivery_sending_us: 90,
    delivery_helping_us: 30,
    delivery_postgres_us: 60,
    delivery_kafka_us: 6,
    delivery_wal_bytes: 2_000,
    delivery_stored_bytes: 1_000,
    delivery_sent_bytes: 1_500,
  };

  it('grows with their number, and leaves two fifths of each core free', () => {
    const plan = planFor(10_000, costs);
    expect(plan).toMatchObject({ replicas: 2, walMbPerS: 20, sentMbPerS: 15 });
    expect(plan.dispatcherCores).toBeCloseTo(2);
    expect(plan.postgresCores).toBeCloseTo(1);
    expect(plan.kafkaCores).toBeCloseTo(0.1);
    expect(plan.storedGbPerDay).toBeCloseTo(864);
    expect(plan.storedTb).toBeCloseTo(25.92);
  });

  it('is never less than one replica', () => {
    expect(planFor(1, costs).replicas).toBe(1);
  });
});
