import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

/** https://www.w3.org/TR/trace-context/#traceparent-header; a later version may say more behind the flags. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const LONGEST = 512;
const VERSION_00_LENGTH = 55;

function parsed(text: string): SpanContext | undefined {
  if (text.length > LONGEST) return undefined;
  const [, version, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  if (version === '00' && text.length !== VERSION_00_LENGTH) return undefined;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const context = { traceId, spanId, traceFlags, isRemote: true };
  return isSpanContextValid(context) ? context : undefined;
}

const formatted = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags & TraceFlags.SAMPLED ? '01' : '00'}`;

/** Returns a received W3C traceparent in version 00; undefined when the text is none. */
export function checkedTraceparent(text: string | undefined): string | undefined {
  const context = text === undefined ? undefined : parsed(text);
  return context && formatted(context);
}

/** Returns the traceparent that makes work a child of this span; undefined: the span belongs to no trace. */
export function traceparentOf(span: Span | undefined): string | undefined {
  const context = span?.spanContext();
  return context && isSpanContextValid(context) ? formatted(context) : undefined;
}

/** Returns the traceparent of the span that the caller works in. */
export const currentTraceparent = (): string | undefined => traceparentOf(trace.getActiveSpan());

/**
 * Returns the same traceparent when the trace of that span is recorded: for data that is kept longer than the span
 * lasts.
 */
export function recordedTraceparent(): string | undefined {
  const traceparent = currentTraceparent();
  return isRecorded(traceparent) ? traceparent : undefined;
}

const isRecorded = (traceparent: string | undefined): traceparent is string =>
  traceparent?.endsWith('1') === true;

/** Returns a context whose spans are children of this traceparent, or of nothing. */
export function contextOf(traceparent: string | undefined): Context {
  const context = traceparent === undefined ? undefined : parsed(traceparent);
  return context ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
}

/** Returns the traceparents whose traces are recorded, each once. */
export const sampled = (traceparents: readonly (string | undefined)[]): readonly SpanContext[] => {
  const found = new Set<string>();
  for (const traceparent of traceparents) if (isRecorded(traceparent)) found.add(traceparent);
  return [...found].flatMap((traceparent) => parsed(traceparent) ?? []);
};
