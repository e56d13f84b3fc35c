// For `node --import`: makes traces if it is told where to send them. Loaded before anything that it watches.
if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) {
  const { startTraces } = await import('./start-traces.js');
  startTraces(process.env);
}
