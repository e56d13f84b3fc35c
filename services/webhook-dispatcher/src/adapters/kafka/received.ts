import type { InboundRecord } from '@junction/messaging';
import {
  checkedTraceparent,
  type Span,
  SpanKind,
  startSpan,
  traceparentOf,
} from '@junction/telemetry';
import type { IncomingEvent } from '../../application/ports.js';

/**
 * Returns the trace of a record: as its producer's instrumentation writes it, or as the extension of CloudEvents does
 * (https://github.com/cloudevents/spec/blob/main/cloudevents/extensions/distributed-tracing.md).
 */
export const traceOf = ({ headers }: InboundRecord): string | undefined =>
  checkedTraceparent(headers['traceparent']) ?? checkedTraceparent(headers['ce_traceparent']);

/**
 * Returns the event in a span of its own, if the span is recorded. The span is added to `spans`, for the caller to end.
 */
export function received(topic: string, event: IncomingEvent, spans: Span[]): IncomingEvent {
  const span = startSpan(`receive ${topic}`, SpanKind.CONSUMER, event.traceparent);
  if (!span.isRecording()) return event;
  spans.push(span);
  span.setAttributes({
    'messaging.system': 'kafka',
    'messaging.operation.name': 'receive',
    'messaging.destination.name': topic,
    'junction.message.id': event.messageId,
  });
  return { ...event, traceparent: traceparentOf(span) };
}
