import { expect, it } from '@jest/globals';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { allowedOnly } from './allowed-only.js';

it('an exported span has the allowed attributes, and nothing else', async () => {
  const exporter = new InMemorySpanExporter();
  const processor = new SimpleSpanProcessor({ exporter: allowedOnly(exporter) });
  const tracer = new TracerProvider({ spanProcessors: [processor] }).getTracer('test');

  const span = tracer.startSpan('request', { kind: SpanKind.SERVER });
  span.setAttributes({
    'http.route': '/connect/:id',
    'url.query': 'code=secret',
    'made.up': 'secret',
  });
  span.recordException(new Error('secret'));
  span.setStatus({ code: SpanStatusCode.ERROR, message: 'secret' });
  span.end();
  await processor.forceFlush();

  const [sent] = exporter.getFinishedSpans();
  expect(sent).toMatchObject({ name: 'request', kind: SpanKind.SERVER, ended: true });
  expect(sent?.spanContext()).toEqual(span.spanContext());
  expect(sent?.attributes).toEqual({ 'http.route': '/connect/:id' });
  expect(sent?.events).toEqual([]);
  expect(sent?.status).toEqual({ code: SpanStatusCode.ERROR });
});
