import { trace } from '@opentelemetry/api';

/** Names the span of an HTTP request after its route pattern: its path has ids, and its query may have secrets. */
export function nameRequest(method: string, route: string): void {
  const span = trace.getActiveSpan();
  if (!span?.isRecording()) return;
  span.updateName(`${method} ${route}`);
  span.setAttribute('http.route', route);
}

/**
 * Returns the fields that tie a log line to the current span. The object is new each time, because pino writes the
 * line's fields into it.
 */
export function traceFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const span = trace.getActiveSpan();
  if (span === undefined) return {};
  const { traceId, spanId } = span.spanContext();
  return { trace_id: traceId, span_id: spanId };
}
