import { expect, it } from '@jest/globals';
import { useBroker } from '@junction/testing';
import { surviveOutage } from '../../test/outage.js';
import { silentLog } from '../../test/silent-log.js';
import { kafkaClient } from '../kafka/kafka-client.js';

const { brokers, prefix } = useBroker();

// As long as is promised, and longer than the ten seconds after which readiness says so.
it('an outage of Postgres under load makes no dead letter, and no effect twice', async () => {
  const kafka = kafkaClient({ brokers, clientId: 'outage-test', log: silentLog });
  const { sent, effects, different, deadLetters, healthyMeanwhile } = await surviveOutage(
    kafka,
    prefix,
    30_000,
  );
  expect(deadLetters).toEqual([]);
  expect([effects, different]).toEqual([sent, sent]);
  expect(healthyMeanwhile).toBe(false);
}, 150_000);
