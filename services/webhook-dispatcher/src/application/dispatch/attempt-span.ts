import { type Span, SpanKind, SpanStatusCode, startSpan } from '@junction/telemetry';
import type { AttemptRecord, Job, Target } from './job.js';

/** Starts the span of an attempt in the trace of its event, also hours later; undefined: the event is in no trace. */
export function attemptSpan(job: Job, { url }: Target): Span | undefined {
  const { traceparent, webhookId, deliveryId, messageId, attempt } = job;
  if (traceparent === undefined) return undefined;
  const span = startSpan('POST webhook', SpanKind.CLIENT, traceparent);
  if (!span.isRecording()) return span;
  return span.setAttributes({
    'http.request.method': 'POST',
    // The host alone, since the path of the url may be a secret.
    'server.address': new URL(url).hostname,
    'junction.webhook.id': webhookId,
    'junction.delivery.id': deliveryId,
    'junction.message.id': messageId,
    'junction.attempt': attempt,
  });
}

/** Ends the span with the outcome of the attempt. */
export function endAttempt(span: Span, { outcome, result, httpStatus }: AttemptRecord): void {
  span.setAttribute('junction.result', result);
  if (httpStatus !== null) span.setAttribute('http.response.status_code', httpStatus);
  if (outcome.kind !== 'succeeded') {
    span.setAttribute('error.type', result);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
