import { DiagLogLevel, diag } from '@opentelemetry/api';

/** Reports problems that keep traces from being made or sent; spans that should have been sent meanwhile are lost. */
export function onTraceProblem(tell: (problem: string) => void): void {
  const ignore = () => undefined;
  const logger = { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
