import { expect, it } from '@jest/globals';
import { kafkaOutage, outages } from '../src/index.js';

const AWAY_MS = 30_000;
/**
 * Two outages, each with the reasons of a server that goes and comes back, an auth that cannot answer without its
 * database, the mail server that is not started, and the start.
 */
const LINES_MAX = 25;
/** Events that may be under way when a server is killed, at 20 events a second, with a margin. */
const UNDER_WAY_MAX = 60;
/**
 * Least number of events. Each is published when the one before is acknowledged, so the count depends on the
 * machine.
 */
const PUBLISHED_MIN = 20;

it(
  'half a minute without Postgres and one without Kafka lose no event and are a few lines in each log, two of each service',
  async () => {
    const { events, warnings } = await outages(process.env, AWAY_MS);
    const { published, delivered, duplicated } = events;
    expect(published).toBeGreaterThan(PUBLISHED_MIN);
    expect(delivered).toBe(published);
    expect(duplicated).toBeLessThan(UNDER_WAY_MAX);
    for (const lines of warnings.values()) {
      const began = lines.filter((line) => line.includes('an outage began'));
      expect(began.filter((line) => line.includes('"server":"Postgres"'))).toHaveLength(1);
      expect(began.filter((line) => line.includes('"server":"Kafka"'))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('"stack"'))).toEqual([]);
      expect(lines.length).toBeLessThan(LINES_MAX);
    }
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
