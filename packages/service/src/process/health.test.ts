import { describe, expect, it } from '@jest/globals';
import { healthChecks } from './health.js';

describe('a service', () => {
  it('is ready when every check says so', async () => {
    const health = healthChecks();
    health.add('postgres', async () => true);
    health.add('kafka', () => true);
    expect(await health.ready()).toEqual({ ready: true, failing: [] });
  });

  it('names the checks that fail, and no more', async () => {
    const health = healthChecks();
    health.add('postgres', () => Promise.reject(new Error('password=hunter2')));
    health.add('kafka', () => {
      throw new Error('down');
    });
    health.add('relay', () => true);
    expect(await health.ready()).toEqual({
      ready: false,
      failing: ['postgres', 'kafka'],
    });
  });

  it('stays ready in what it has once caught up with', async () => {
    const health = healthChecks();
    const answers = [false, true, false];
    health.addOnce('revocations', () => answers.shift() ?? false);
    expect(await health.ready()).toEqual({ ready: false, failing: ['revocations'] });
    expect((await health.ready()).ready).toBe(true);
    expect((await health.ready()).ready).toBe(true);
  });

  it('is not ready while it stops', async () => {
    const health = healthChecks();
    health.drain();
    expect(await health.ready()).toEqual({ ready: false, failing: ['stopping'] });
  });
});
