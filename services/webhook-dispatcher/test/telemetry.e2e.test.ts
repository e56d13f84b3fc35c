import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { grpcProducer } from '@junction/producer';
import { build } from '@junction/telemetry';
import {
  type CollectedSpan,
  eventually,
  exportedMetrics,
  startTraceCollector,
  type TraceCollector,
  undescribed,
} from '@junction/testing';
import { useWorld } from './world.js';

let collector: TraceCollector;
beforeAll(async () => {
  collector = await startTraceCollector();
});
afterAll(() => collector?.close());

const world = useWorld(() => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_SERVICE_NAME: 'webhook-dispatcher',
  OTEL_TRACES_SAMPLER_ARG: '1',
  WEBHOOK_RETRY_SCHEDULE_S: '1,1',
}));

/** The trace of this traceparent's, once it has a span like each of these. */
const traceWith = (traceparent: string, wanted: readonly ((span: CollectedSpan) => boolean)[]) =>
  eventually(() => {
    const traceId = traceIdOf(traceparent);
    const trace = collector.spans().filter((span) => span.traceId === traceId);
    const names = trace.map(({ service, name }) => `${service}: ${name}`);
    for (const isLike of wanted) if (!trace.some(isLike)) throw new Error(names.join('\n'));
    return trace;
  });

const isServer = (span: CollectedSpan) => span.kind === 2;
const named =
  (name: string, more: Readonly<Record<string, unknown>> = {}) =>
  (span: CollectedSpan) =>
    span.name === name &&
    Object.entries(more).every(([key, value]) => span.attributes[key] === value);

const traceIdOf = (traceparent: string) => traceparent.split('-')[1] ?? '';

const newTraceparent = () =>
  `00-${randomUUID().replaceAll('-', '')}-${randomUUID().replaceAll('-', '').slice(16)}-01`;

// First: deliveries of other tests fail too, which the log says once a minute.
describe('a receiver that fails', () => {
  it('shows in metrics and in one line of the log, whatever is sent to it', async () => {
    const { newWebhook, publish, receiver, dispatcher } = world();
    const { userId, webhookId, path } = await newWebhook({ retry_schedule: [600] });
    receiver.answer((request) => ({ status: request.path === path ? 500 : 200 }));

    await eventually(async () => {
      // A replica that takes the shard over counts failures from nothing.
      await publish(userId);
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
});

it('every metric is described in docs/metrics.md', async () => {
  expect(await undescribed(world().dispatcher.url, 'webhook-dispatcher')).toEqual([]);
});

describe('a request', () => {
  it('is a trace with its route and its statements, and no secret', async () => {
    const [userId, traceparent] = [randomUUID(), newTraceparent()];
    const url = `${world().receiver.url}/hook?key=in-the-query`;
    const json = { url, events: ['draft.created'], enabled: true, secret: 'never-in-a-trace' };
    const headers = { traceparent, baggage: 'of=the-caller' };
    const options = { json, headers };
    const path = '/api/webhooks/configure?token=in-the-query';
    const { status } = await world().dispatcher.call(userId, 'POST', path, options);
    expect(status).toBe(201);

    await traceWith(traceparent, [
      (span) => isServer(span) && span.name === 'POST /api/webhooks/configure',
      named('junction_append_one_record'),
      // The relay's, which tells what was decided.
      named('send webhooks.events.v1'),
    ]);
    expect(collector.text()).not.toMatch(/in-the-query|never-in-a-trace|the-caller/);
    expect(collector.text()).not.toContain(userId);
    const value = { stringValue: build().version };
    expect(collector.text()).toContain(JSON.stringify({ key: 'service.version', value }));
    expect(world().dispatcher.logs()).toContain(`"trace_id":"${traceIdOf(traceparent)}"`);
  });
});

describe('an event', () => {
  it('is one trace from its producer over Kafka and Postgres to the receiver', async () => {
    const traceparent = newTraceparent();
    const { userId, path, webhookId } = await world().newWebhook();
    await world().publish(userId, { headers: { traceparent } });

    const trace = await traceWith(traceparent, [
      named('receive assistant.events.v1'),
      named('process assistant.events.v1'),
      named('record_events_at_once'),
      named('POST webhook', { 'junction.webhook.id': webhookId, 'junction.attempt': 1 }),
    ]);
    const [, , spanId] = traceparent.split('-');
    const received = trace.find(named('receive assistant.events.v1'));
    expect(received?.parentSpanId).toBe(spanId);
    for (const name of ['POST webhook', 'process assistant.events.v1']) {
      expect(trace.find(named(name))?.parentSpanId).toBe(received?.spanId);
    }

    const { headers } = await world().receiver.waitFor((request) => request.path === path);
    for (const name of ['traceparent', 'tracestate', 'baggage']) {
      expect(headers).not.toHaveProperty(name);
    }
    expect(collector.text()).not.toContain(path);
  });

  it('may name its trace as CloudEvents does, and a receiver that asks is told of it', async () => {
    const traceparent = newTraceparent();
    const { userId, webhookId, path } = await world().newWebhook({ trace_context: true });
    await world().publish(userId, { headers: { ce_traceparent: traceparent } });

    const { headers } = await world().receiver.waitFor((request) => request.path === path);
    const trace = await traceWith(traceparent, [named('POST webhook')]);
    const told = String(headers['traceparent']);
    expect(traceIdOf(told)).toBe(traceIdOf(traceparent));
    expect(told.split('-')[2]).toBe(trace.find(named('POST webhook'))?.spanId);

    const [attempt] = await attemptsOf(userId, webhookId);
    expect(attempt?.request.headers['traceparent']).toBe(
      `00-${traceIdOf(traceparent)}-********-01`,
    );
  });

  it('is delivered in its trace later too, and sent again', async () => {
    const traceparent = newTraceparent();
    const { userId, webhookId, path } = await world().newWebhook();
    const isOurs = (request: { path: string }) => request.path === path;
    let failures = 0;
    world().receiver.answer((request) =>
      isOurs(request) && failures++ === 0 ? { status: 500 } : {},
    );
    await world().publish(userId, { headers: { traceparent } });
    await traceWith(traceparent, [
      named('POST webhook', { 'junction.attempt': 1, 'error.type': 'http_500' }),
      named('POST webhook', { 'junction.attempt': 2, 'junction.result': 'succeeded' }),
    ]);

    const delivery = await deliveryOf(userId, webhookId);
    const again = `/api/webhooks/${webhookId}/deliveries/${delivery}/redeliver`;
    const { status, body } = await world().dispatcher.call(userId, 'POST', again);
    expect(status).toBe(202);
    await traceWith(traceparent, [
      named('POST webhook', { 'junction.delivery.id': String(body['delivery_id']) }),
    ]);
  });

  it('is in the trace of the call when its producer comes over gRPC', async () => {
    const traceparent = newTraceparent();
    const { userId, webhookId } = await world().newWebhook();
    const producer = grpcProducer({
      address: world().dispatcher.grpcAddress,
      source: '/tests',
      token: async () => world().issuer.serviceToken('webhook-dispatcher', 'events:publish'),
      channel: 'plaintext',
    });
    await producer.publish({ type: 'draft.created', userId, data: {}, traceparent });
    await producer.close();
    const trace = await traceWith(traceparent, [
      (span) => isServer(span) && span.attributes['rpc.method'] === 'Publish',
      named('send assistant.events.v1'),
      named('receive assistant.events.v1'),
      named('POST webhook', { 'junction.webhook.id': webhookId }),
    ]);
    const call = trace.find((span) => span.attributes['rpc.method'] === 'Publish');
    const sent = trace.find(named('send assistant.events.v1'));
    expect(sent?.parentSpanId).toBe(call?.spanId);
    expect(trace.find(named('receive assistant.events.v1'))?.parentSpanId).toBe(sent?.spanId);
  });
});

/** Values from Postgres are up to five seconds old. The deadline is for what hangs. */
const SCRAPED = { deadlineMs: 60_000, pollMs: 500 };

async function valueOf(name: string, label = ''): Promise<number> {
  const exported = await exportedMetrics(world().dispatcher.url);
  const series = exported.find((metric) => metric.name === name)?.series ?? [];
  const line = series.find((one) => one.includes(label)) ?? '';
  return Number(line.split(' ').at(-1));
}

async function deliveryOf(userId: string, webhookId: string): Promise<string> {
  return eventually(async () => {
    const path = `/api/deliveries?webhook_id=${webhookId}&status=succeeded`;
    const { body } = await world().dispatcher.call(userId, 'GET', path);
    const [first] = body['items'] as readonly { readonly delivery_id: string }[];
    if (first === undefined) throw new Error('It is on its way.');
    return first.delivery_id;
  });
}

async function attemptsOf(userId: string, webhookId: string) {
  const path = `/api/deliveries/${await deliveryOf(userId, webhookId)}`;
  const { body } = await world().dispatcher.call(userId, 'GET', path);
  return body['attempts'] as readonly {
    readonly request: { readonly headers: Readonly<Record<string, string>> };
  }[];
}
