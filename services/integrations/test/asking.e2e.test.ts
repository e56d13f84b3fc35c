import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { useWorld } from './world.js';

const world = useWorld();
const REST_S = 15;
/** A turn of asking begins every four seconds. */
const A_TURN_MS = 5_000;

describe('a provider that does not answer whether a connection stands', () => {
  it('is left alone for as long as it asks, and for how long nothing is known is told', async () => {
    const { provider, database, connected } = world();
    await connected();
    const askNow = async () => database.pool.query('update connection_checks set due_at = now()');
    const asked = async () => (await provider.control.calls()).introspection;
    const busy = { endpoint: 'introspection', status: 503, retryAfterS: REST_S } as const;
    await provider.control.fail({ ...busy, calls: 1_000 });
    await askNow();
    await eventually(async () => expect(await asked()).toBe(1));
    await eventually(async () => expect(await delayS()).toBeGreaterThan(50));
    const early = await delayS();
    await pause(A_TURN_MS);
    // It is not due again yet.
    expect(await delayS()).toBeGreaterThan(early + A_TURN_MS / 1_000 - 1);

    await askNow();
    await pause(A_TURN_MS);
    expect(await asked()).toBe(1);
    await provider.control.reset();
    await eventually(async () => expect(await asked()).toBe(1), { deadlineMs: 45_000 });
    await eventually(async () => expect(await delayS()).toBe(50));
  });
});

/** As the metrics tell it of the mailbox. */
async function delayS(): Promise<number> {
  const text = await (await fetch(`${world().service.url}/internal/metrics`)).text();
  const [, value] = /^connection_check_delay_seconds{[^}]*"mailbox"[^}]*} (\S+)$/m.exec(text) ?? [];
  return Number(value);
}
