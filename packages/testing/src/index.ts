export { freePort, startPostgres } from '@junction/local-stack';
export type { BreakableRoad } from './breakable-road.js';
export { breakableRoad } from './breakable-road.js';
export type { CertificateAuthority, CertificateRequest } from './certificate-authority.js';
export { certificateAuthority } from './certificate-authority.js';
export { eventually } from './eventually.js';
export type { Answer, ReceivedRequest, Receiver } from './receiver.js';
export { startReceiver } from './receiver.js';
export { rowsRead } from './rows-read.js';
export type { Nginx, NginxOptions } from './start-nginx.js';
export { startNginx } from './start-nginx.js';
export type { ServiceProgram, StartedService } from './start-service.js';
export { startService } from './start-service.js';
export type { SmallDisk } from './start-small-disk.js';
export { startSmallDisk } from './start-small-disk.js';
export type {
  CallOptions,
  ServiceAnswer,
  TestService,
  TestServiceOptions,
} from './start-test-service.js';
export { startTestService, VAULT_KEYS } from './start-test-service.js';
export type { Migrate, Template } from './template.js';
export type { TokenIssuer } from './token-issuer.js';
export { startTokenIssuer } from './token-issuer.js';
export type { TestBroker } from './use-broker.js';
export { useBroker } from './use-broker.js';
export type { TestDatabase } from './use-database.js';
export { useDatabase } from './use-database.js';
