export { Closing } from './closing.js';
export {
  authClientEnvironment,
  type CommonConfig,
  commonConfig,
  commonEnvironment,
  databaseConfig,
  type GrpcSecurity,
} from './config/common-environment.js';
export { parseConfig } from './config/parse-config.js';
export { isSecret, readSecretFile } from './config/secret-files.js';
export type { IssuerSignIn, TrustedIssuer } from './config/trusted-issuers.js';
export {
  AT_ONCE,
  databaseUrlFile,
  flag,
  isDevelopment,
  list,
  port,
  postgresUrl,
  proxyUrl,
  serverUrl,
  trueOrFalse,
  trusting,
} from './config/variables.js';
export { type Gauge, registerGauges } from './gauges.js';
export type { Health, Readiness } from './health.js';
export { logThrottle } from './log-throttle.js';
export { type Logger, logger } from './logging/logger.js';
export { serverAway } from './logging/server-away.js';
export { type Meter, type Metrics, metrics } from './metrics.js';
export { runProcess, tellMistakes } from './run-process.js';
export type { Runtime } from './runtime.js';
export type { Host } from './stopper.js';
