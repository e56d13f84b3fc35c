export { type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';
export { nameRequest, traceFields } from './active-span.js';
export { type Build, build, buildText } from './build.js';
export { flushTraces } from './flush-traces.js';
export { reachCollector } from './reach-collector.js';
export { batchSpan, startSpan } from './spans.js';
export { onTraceProblem } from './trace-problems.js';
export {
  checkedTraceparent,
  currentTraceparent,
  recordedTraceparent,
  traceparentOf,
} from './traceparent.js';
