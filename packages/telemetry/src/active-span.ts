import { trace } from '@opentelemetry/api';

/** Names the span of an HTTP request after its route pattern: its path has ids, and its query may have secrets. */
export function nameRequest(method: string, route: string): void {
  const span = trace.getActiveSpan();
  if (!span?.isRecording()) return;
  span.updateName(`${method} ${route}`);
  span.setAttribute('http.route', route);
}

/** What a log line says of the span that it is written in. A new object each time: pino writes the line's fields into it. */
export function traceFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const span = trace.getActiveSpan();
  if (span === undefined) return {};
  const { traceId, spanId } = span.spanContext();
  return { trace_id: traceId, span_id: spanId };
}
