import { beforeAll, describe, expect, it } from '@jest/globals';
import { type RollingRestart, rollingRestart } from '../src/index.js';

const MINUTE = 60_000;
/** The delay of a stop, and ten seconds. */
const STOPPED_WITHIN_MS = 13_000;

let result: RollingRestart;

beforeAll(async () => {
  result = await rollingRestart(process.env);
  console.log(JSON.stringify(result, null, 2));
}, 4 * MINUTE);

describe('a rolling restart of every service, two of each behind nginx, under load', () => {
  it('ends each replica in good order', () => {
    expect(result.restarts.map(({ replica }) => replica)).toEqual([
      'auth-1',
      'auth-2',
      'integrations-1',
      'integrations-2',
      'webhook-dispatcher-1',
      'webhook-dispatcher-2',
    ]);
    for (const { ended, stopMs } of result.restarts) {
      expect(ended).toBe('exit code 0');
      expect(stopMs).toBeLessThan(STOPPED_WITHIN_MS);
    }
  });

  it('fails no request and no call', () => {
    expect(result.failures).toEqual([]);
    expect(result.requests).toBeGreaterThan(500);
    expect(result.rpcs).toBeGreaterThan(50);
  });

  it('loses no event', () => {
    const { published, delivered } = result.events;
    expect(published).toBeGreaterThan(200);
    expect(delivered).toBe(published);
  });
});
