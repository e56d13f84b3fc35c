/** The exporter tries again what may pass, which in this time it does once. */
const ANSWER_MS = 2_000;

/**
 * Sends the collector an empty batch as this process would send its spans: to the address, with the headers and by the
 * certificates of the variables of the exporter. Rejects when the collector does not take it.
 */
export async function reachCollector(): Promise<void> {
  // Only a process that makes traces has loaded it already, and it is large.
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const exporter = new OTLPTraceExporter({ timeoutMillis: ANSWER_MS });
  try {
    await new Promise<void>((resolve, reject) => {
      exporter.export([], ({ error }) => (error ? reject(error) : resolve()));
    });
  } finally {
    await exporter.shutdown();
  }
}
