import type { PlatformConfig } from '@junction/service';
import { reachCollector } from '@junction/telemetry';
import { type Check, warning, wordsOf } from './finding.js';

const REMEDY =
  'Check OTEL_EXPORTER_OTLP_ENDPOINT (the port of OTLP over HTTP, as a rule 4318), OTEL_EXPORTER_OTLP_HEADERS, that the collector runs, and that this machine may reach it. Until then the service works, and its traces are lost.';

/** Checks whether the collector takes traces, if it is to have any. */
export const traceCheck = ({ otlpEndpoint }: Pick<PlatformConfig, 'otlpEndpoint'>): Check => ({
  name: 'traces',
  remedy: REMEDY,
  async look() {
    if (otlpEndpoint === undefined) return 'OTEL_EXPORTER_OTLP_ENDPOINT is not set: none are made.';
    const { host } = new URL(otlpEndpoint);
    try {
      await reachCollector();
      return `The collector at ${host} takes them.`;
    } catch (error) {
      const found = `The collector at ${host} does not take them: ${wordsOf(error)}`;
      return [warning(found, REMEDY)];
    }
  },
});
