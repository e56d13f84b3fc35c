import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { metrics } from '@junction/service/process';
import { answered, resultOf } from '../../../test/on-postgres.js';
import type { Job, Result } from '../../application/job.js';
import { resultMeasures } from './result-measures.js';

describe('the measures of deliveries', () => {
  it('have no more series for 10,000 webhooks than for one of each result', async () => {
    const { count, series } = measuring();
    count(STATUSES.map((status) => attempted(status)));
    const before = await series();
    expect(before).toHaveLength(6 + 2 * 16 + 16 + 2);
    for (let n = 0; n < 10; n++) {
      count(Array.from({ length: 1_000 }, (_, i) => attempted(200 + ((n * 1_000 + i) % 400))));
    }
    expect(await series()).toEqual(before);
  });

  it('tell how long a delivery waited for its first attempt, and nothing about later ones', async () => {
    const { count, text } = measuring();
    count([
      attempted(200, { cameBeforeMs: 2_000 }),
      attempted(200, { attempt: 2, cameBeforeMs: 900_000 }),
    ]);
    expect(await text()).toContain(
      'junction_delivery_first_attempt_delay_seconds_sum{service="test"} 2\n',
    );
  });

  it('count results by class, and ends by status', async () => {
    const { count, text } = measuring();
    count([attempted(200), attempted(503), attempted(500)]);
    const lines = await text();
    expect(lines).toContain('_attempts_total{result="succeeded",service="test"} 1');
    expect(lines).toContain('_attempts_total{result="http_5xx",service="test"} 2');
    expect(lines).toContain('_ended_total{status="succeeded",service="test"} 1');
    expect(lines).toContain('_ended_total{status="exhausted",service="test"} 2');
  });
});

/** HTTP statuses, one of each class with which a receiver may answer. */
const STATUSES = [200, 301, 404, 503, 199];

function measuring() {
  const { meter, registry } = metrics('test');
  const count = resultMeasures(meter);
  const text = async () =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('junction_'))
      .join('\n');
  const series = async () => (await text()).split('\n').map((line) => line.split(' ')[0]);
  return { count, text, series };
}

function attempted(status: number, { attempt = 1, cameBeforeMs = 5 } = {}): Result {
  const startedAt = new Date();
  const at = new Date(startedAt.getTime() - cameBeforeMs);
  const job: Job = {
    deliveryId: newId('dlv', at),
    day: '2030-01-01',
    messageId: `msg_${randomUUID()}`,
    webhookId: newId('wh'),
    webhookVersion: 1,
    userId: randomUUID(),
    kind: 'draft.created',
    shard: 0,
    attempt,
    unscheduled: 0,
    body: Buffer.alloc(0),
  };
  const record = answered(status, { startedAt });
  return resultOf(
    job,
    '1',
    record.outcome.kind === 'succeeded'
      ? { type: 'delivery.succeeded', data: { attempt } }
      : {
          type: 'delivery.exhausted',
          data: { attempt, reason: `http_${status}`, gone: false },
        },
    record,
  );
}
