import { SpanKind } from '@junction/telemetry';

/**
 * Describes the span of a batch of records, as https://opentelemetry.io/docs/specs/semconv/messaging/kafka/ has it.
 * `topic` is without prefix.
 */
export const messagingSpan = (
  operation: 'process' | 'send',
  topic: string,
  count: number,
  more: Readonly<Record<string, string>> = {},
) => ({
  name: `${operation} ${topic}`,
  kind: operation === 'send' ? SpanKind.PRODUCER : SpanKind.CONSUMER,
  attributes: {
    'messaging.system': 'kafka',
    'messaging.operation.name': operation,
    'messaging.destination.name': topic,
    'messaging.batch.message_count': count,
    ...more,
  },
});
