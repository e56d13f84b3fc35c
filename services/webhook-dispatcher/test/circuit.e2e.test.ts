import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { requestsAt } from './received.js';
import { type NewWebhook, useWorld } from './world.js';

const RESET_MS = 2_000;
const world = useWorld(() => ({
  WEBHOOK_BREAKER_RESET_S: String(RESET_MS / 1_000),
  WEBHOOK_RETRY_SCHEDULE_S: '1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1',
}));
const LONG = { deadlineMs: 45_000 };
/** Clocks of timers and dates are not the same to the millisecond. */
const CLOCKS_MS = 50;

afterAll(() => world().receiver.answer({}));

describe('an open circuit', () => {
  it('shows when its next probe is, and whoever takes over keeps to that and to how long it rests', async () => {
    const { dispatcher, receiver, newWebhook, publish } = world();
    const webhook = await newWebhook();
    receiver.answer((request) => (request.path === webhook.path ? { status: 500 } : {}));
    for (let n = 1; n <= 6; n++) await publish(webhook.userId);

    const first = await eventually(() => openCircuit(webhook));
    // After two probes that failed it rests for four times as long as at first.
    const before = await eventually(async () => {
      const circuit = await openCircuit(webhook);
      expect(circuit.probeMs - Date.now()).toBeGreaterThan(3 * RESET_MS);
      return circuit;
    }, LONG);
    expect(before.openedAt).toBe(first.openedAt);
    const sent = requestsAt(receiver, webhook.path).length;
    await dispatcher.end('SIGTERM');
    receiver.answer(({ path }) => (path === webhook.path ? { status: 500, delayMs: 2_000 } : {}));
    await dispatcher.startAgain();

    await eventually(
      async () => expect((await circuitOf(webhook))?.['state']).toBe('half_open'),
      LONG,
    );
    await eventually(() => expect(requestsAt(receiver, webhook.path)).toHaveLength(sent + 1));
    expect(Date.now()).toBeGreaterThanOrEqual(before.probeMs - CLOCKS_MS);
    const after = await eventually(async () => openCircuit(webhook));
    expect(after.probeMs - Date.now()).toBeGreaterThan(6 * RESET_MS);
    expect(after.openedAt).toBe(first.openedAt);
  });
});

interface OpenCircuit {
  readonly openedAt: string;
  readonly probeMs: number;
}

async function circuitOf({ userId, webhookId }: NewWebhook) {
  const { body } = await world().dispatcher.call(userId, 'GET', `/api/webhooks/${webhookId}`);
  return body['circuit'] as Record<string, string> | undefined;
}

async function openCircuit(webhook: NewWebhook): Promise<OpenCircuit> {
  const circuit = await circuitOf(webhook);
  expect(circuit).toMatchObject({ state: 'open' });
  const { opened_at: openedAt = '', probe_at: probeAt = '' } = circuit ?? {};
  return { openedAt, probeMs: new Date(probeAt).getTime() };
}
