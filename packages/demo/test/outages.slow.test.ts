import { expect, it } from '@jest/globals';
import { outages } from '../src/index.js';

const AWAY_MS = 30_000;
/** What 20 events a second can have under way in the moment of a kill, with time to spare. */
const UNDER_WAY_MAX = 60;
/** Each is published when the one before is acknowledged: how many that are, the machine decides. */
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
