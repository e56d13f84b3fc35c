import { beforeAll, describe, expect, it } from '@jest/globals';
import { type RollingRestart, rollingRestart } from '../src/index.js';

const MINUTE = 60_000;

let result: RollingRestart;

beforeAll(async () => {
  result = await rollingRestart(process.env);
}, 8 * MINUTE);

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
    // A stop that had to be cut short at its deadline ends with another code.
    const badly = result.restarts.filter(({ ended }) => ended !== 'exit code 0');
    expect(badly).toEqual([]);
  });

  it('fails no request and no call', () => {
    expect(result.failures).toEqual([]);
    // Enough of them for each restart to have met some, however slow the machine.
    expect(result.requests).toBeGreaterThan(200);
    expect(result.rpcs).toBeGreaterThan(20);
  });

  it('loses no event', () => {
    const { published, delivered } = result.events;
    expect(published).toBeGreaterThan(50);
    expect(delivered).toBe(published);
  });
});
