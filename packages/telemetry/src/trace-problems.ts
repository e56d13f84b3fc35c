import { DiagLogLevel, diag } from '@opentelemetry/api';

/** Tells what keeps traces from being made or sent; what should have been sent meanwhile is lost. */
export function onTraceProblem(tell: (problem: string) => void): void {
  const ignore = () => undefined;
  const logger = { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
