import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CollectedSpan,
  eventually,
  startTraceCollector,
  type TraceCollector,
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
}));

/** The trace of this traceparent's, once it has a span like each of these. */
const traceWith = (traceparent: string, wanted: readonly ((span: CollectedSpan) => boolean)[]) =>
  eventually(() => {
    const [, traceId] = traceparent.split('-');
    const trace = collector.spans().filter((span) => span.traceId === traceId);
    const names = trace.map(({ service, name }) => `${service}: ${name}`);
    for (const isLike of wanted) if (!trace.some(isLike)) throw new Error(names.join('\n'));
    return trace;
  });

const newTraceparent = () =>
  `00-${randomUUID().replaceAll('-', '')}-${randomUUID().replaceAll('-', '').slice(16)}-01`;

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
      ({ name, kind }) => kind === 2 && name === 'POST /api/webhooks/configure',
      ({ name, kind }) => kind === 3 && name === 'junction_append_one_record',
      // The relay's, which tells what was decided.
      ({ name, kind }) => kind === 4 && name === 'send webhooks.events.v1',
    ]);
    expect(collector.text()).not.toMatch(/in-the-query|never-in-a-trace|the-caller/);
    expect(collector.text()).not.toContain(userId);
    expect(world().dispatcher.logs()).toContain(`"trace_id":"${traceparent.split('-')[1]}"`);
  });
});
