import { startReceiver } from './receiver.js';

/** A span as it was sent. */
export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** https://opentelemetry.io/docs/specs/otel/trace/api/#spankind: 2 is server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Takes traces by OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp), in JSON. */
export interface TraceCollector {
  /** OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  /** Returns the spans that have come so far. */
  spans(): readonly CollectedSpan[];
  /** Returns every byte that has come so far, as text. */
  text(): string;
  close(): Promise<void>;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const { url, requests, close } = await startReceiver();
  const bodies = () => requests.map(({ body }) => body.toString());
  return {
    url,
    close,
    text: () => bodies().join('\n'),
    spans: () => bodies().flatMap((body) => spansOf(JSON.parse(body) as Export)),
  };
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'service' | 'attributes'> & {
        readonly attributes: readonly Attribute[];
      })[];
    }[];
  }[];
}

const spansOf = ({ resourceSpans }: Export): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({ ...span, service, attributes: valuesOf(span.attributes) }));
  });

const valuesOf = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
