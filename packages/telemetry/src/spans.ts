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

/** Resolves to the one that `register` made, or to one that makes nothing. */
const tracer = trace.getTracer('junction');

/**
 * A span under this traceparent, or the first of a trace of its own. The caller ends it. Of a process that makes no
 * traces it records nothing, and has the traceparent's own context: what is passed on is what came.
 */
export const startSpan = (name: string, kind: SpanKind, traceparent: string | undefined): Span =>
  tracer.startSpan(name, { kind }, contextOf(traceparent));

/**
 * Works on things that came together, each with its traceparent: in a span of the first trace that is recorded, with
 * links to the others. Without any the work has no span.
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
