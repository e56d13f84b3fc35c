import { describe, expect, it } from '@jest/globals';
import { eventually, exportedMetrics, undescribed } from '@junction/testing';
import { useWorld } from './world.js';

const WEBHOOKS = 30;

const world = useWorld(() => ({
  WEBHOOK_RETRY_SCHEDULE_S: '600',
  WEBHOOK_BREAKER_RESET_S: '600',
}));

describe('a receiver that fails', () => {
  it('shows in metrics and in one line of the log, whatever is sent to it', async () => {
    const { newWebhook, publish, receiver, dispatcher } = world();
    const { userId, webhookId, path } = await newWebhook();
    receiver.answer((request) => ({ status: request.path === path ? 500 : 200 }));
    for (let n = 0; n < 8; n++) await publish(userId);

    await eventually(async () => {
      expect(await valueOf('junction_delivery_attempts_total', 'http_5xx')).toBeGreaterThan(1);
      expect(await valueOf('junction_circuits', '"open"')).toBe(1);
      expect(await valueOf('junction_webhooks_failing')).toBe(1);
      expect(await valueOf('junction_deliveries_pending', 'retrying')).toBeGreaterThan(1);
    }, SCRAPED);
    expect(await valueOf('junction_shards_owned')).toBe(48);

    const lines = dispatcher
      .logs()
      .split('\n')
      .filter((line) => line.includes('a delivery failed'));
    // A minute may have ended in between.
    expect([1, 2]).toContain(lines.length);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      webhook_id: webhookId,
      result: 'http_500',
      host: new URL(receiver.url).host,
      suppressed: 0,
    });
    expect(lines[0]).not.toContain(path);
  });

  it(`makes no more series when ${WEBHOOKS} webhooks do`, async () => {
    const { newWebhook, publish, receiver } = world();
    receiver.answer(() => ({ status: 500 }));
    const before = await deliverySeries();
    for (let n = 0; n < WEBHOOKS; n++) await publish((await newWebhook()).userId);
    await eventually(
      async () => expect(await valueOf('junction_webhooks_failing')).toBe(WEBHOOKS + 1),
      SCRAPED,
    );
    expect(await deliverySeries()).toEqual(before);
  });
});

it('every metric is described in docs/metrics.md', async () => {
  expect(await undescribed(world().dispatcher.url, 'webhook-dispatcher')).toEqual([]);
});

/** Deadline for metrics: values from Postgres are up to five seconds old. */
const SCRAPED = { deadlineMs: 20_000 };

async function valueOf(name: string, label = ''): Promise<number> {
  const exported = await exportedMetrics(world().dispatcher.url);
  const series = exported.find((metric) => metric.name === name)?.series ?? [];
  const line = series.find((one) => one.includes(label)) ?? '';
  return Number(line.split(' ').at(-1));
}

/** Reads all series but those of servers, since this test calls routes for the first time. */
async function deliverySeries(): Promise<readonly string[]> {
  const exported = await exportedMetrics(world().dispatcher.url);
  return exported
    .filter(({ name }) => !name.includes('_server_'))
    .flatMap(({ series }) => series.map((line) => line.split(' ')[0] ?? ''));
}
