import { expect, it } from '@jest/globals';
import { kafkaOutage, outages } from '../src/index.js';

const AWAY_MS = 30_000;
/** Events that may be under way when a server is killed, at 20 events a second, with a margin. */
const UNDER_WAY_MAX = 60;
/**
 * Least number of events. Each is published when the one before is acknowledged, so the count depends on the
 * machine.
 */
const PUBLISHED_MIN = 20;

it(
  'half a minute without Postgres and one without Kafka lose no event, two of each service',
  async () => {
    const { published, delivered, duplicated } = await outages(process.env, AWAY_MS);
    expect(published).toBeGreaterThan(PUBLISHED_MIN);
    expect(delivered).toBe(published);
    expect(duplicated).toBeLessThan(UNDER_WAY_MAX);
  },
  8 * 60_000,
);

it(
  'while Kafka is away every replica stays ready and answers the API and the workers, and no event is lost',
  async () => {
    const { events, unready, failures } = await kafkaOutage(process.env, AWAY_MS);
    expect(unready).toEqual([]);
    expect(failures).toEqual([]);
    expect(events.published).toBeGreaterThan(PUBLISHED_MIN);
    expect(events.delivered).toBe(events.published);
  },
  8 * 60_000,
);
