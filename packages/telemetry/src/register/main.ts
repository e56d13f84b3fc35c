// Entry point for `node --import`: makes traces when an endpoint to send them to is set. Loaded before every module
// that is instrumented.
if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) {
  const { startTraces } = await import('./start-traces.js');
  startTraces(process.env);
}
