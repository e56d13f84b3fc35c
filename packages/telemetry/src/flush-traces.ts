import { ProxyTracerProvider, trace } from '@opentelemetry/api';

/**
 * Sends the spans that are not sent yet. Resolves at once in a process that makes no traces; rejects when the collector
 * does not take the spans.
 */
export async function flushTraces(): Promise<void> {
  const provider = trace.getTracerProvider();
  const made: object = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
  if ('forceFlush' in made && typeof made.forceFlush === 'function') await made.forceFlush();
}
