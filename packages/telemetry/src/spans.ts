import type { SpanKind } from '@opentelemetry/api';
import {
  type Attributes,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { contextOf, sampled } from './traceparent.js';

/** Tracer that resolves to the one that `register` made, or to one that makes nothing. */
const tracer = trace.getTracer('junction');

/**
 * Starts a span under this traceparent, or the first span of a new trace. The caller ends it. In a process that makes
 * no traces the span records nothing, and has the context of the traceparent itself: the received context is passed on.
 */
export const startSpan = (name: string, kind: SpanKind, traceparent: string | undefined): Span =>
  tracer.startSpan(name, { kind }, contextOf(traceparent));

/**
 * Runs work on items that came together, each with its traceparent: in a span of the first trace that is recorded, with
 * links to the others. Without any recorded trace the work has no span.
 */
export async function batchSpan<T>(
  { name, kind, attributes }: { name: string; kind: SpanKind; attributes: Attributes },
  traceparents: readonly (string | undefined)[],
  work: () => Promise<T>,
): Promise<T> {
  const [first, ...others] = sampled(traceparents);
  if (first === undefined) return work();
  const links = others.map((other) => ({ context: other }));
  const parent = trace.setSpanContext(ROOT_CONTEXT, first);
  const span = tracer.startSpan(name, { kind, attributes, links }, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
