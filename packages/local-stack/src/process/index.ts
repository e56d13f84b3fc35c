export { isAlive, markOf } from '../preflight/process-identity.mjs';
export { failureReason, reasonIn } from './failure-reason.js';
export type { GuardedProcess } from './guarded-process.js';
export { spawnGuarded } from './guarded-process.js';
export { freePort } from './ports.js';
export { inWords } from './running-server.js';
