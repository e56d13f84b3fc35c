import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { GrpcInstrumentation } from '@opentelemetry/instrumentation-grpc';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { build } from '../build.js';
import { allowedOnly } from './allowed-only.js';

/**
 * Ratio of recorded traces among those that start here: one in a hundred, unless OTEL_TRACES_SAMPLER_ARG says
 * otherwise.
 */
const RATIO = 0.01;
/** Interval of sending: a process that is killed loses at most the spans of this time. */
const SEND_EVERY_MS = 1_000;
/** Maximum characters of an attribute: a statement may be long. */
const TEXT_MAX = 2_000;

/** Makes this process record traces of its HTTP and gRPC servers, its calls and its statements, and send them. */
export function startTraces(env: NodeJS.ProcessEnv): void {
  const { OTEL_EXPORTER_OTLP_HEADERS_FILE: headersFile } = env;
  if (headersFile) env['OTEL_EXPORTER_OTLP_HEADERS'] = readFileSync(headersFile, 'utf8').trimEnd();

  // The process that started a trace decides whether it is recorded; this ratio is for traces that start here.
  const ratio = Number(env['OTEL_TRACES_SAMPLER_ARG'] || RATIO);
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.version': build().version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanLimits: { attributeValueLengthLimit: TEXT_MAX },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: allowedOnly(new OTLPTraceExporter()),
        scheduledDelayMillis: SEND_EVERY_MS,
      }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  // Neither baggage nor anything else of a caller's goes further.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  watch();
}

/**
 * Instruments CommonJS modules by patching methods of their classes. Each module is required here, and so patched
 * before any other module imports it; no hook in the loader of ES modules is needed, which would cost time and memory
 * at the start.
 */
function watch(): void {
  registerInstrumentations({
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url }) => url?.startsWith('/internal/') ?? false,
        // No header of ours goes to providers and receivers.
        disableOutgoingRequestInstrumentation: true,
      }),
      new GrpcInstrumentation(),
      new PgInstrumentation({
        // Statements that a service runs by itself all the time are no part of a trace.
        requireParentSpan: true,
        ignoreConnectSpans: true,
        requestHook: (span, { query: { name } }) => {
          if (name !== undefined) span.updateName(name);
        },
      }),
    ],
  });
  const require = createRequire(import.meta.url);
  require('node:http');
  require('node:https');
  require('pg');
  require('@grpc/grpc-js');
}
