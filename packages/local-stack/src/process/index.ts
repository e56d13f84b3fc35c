export { isAlive, markOf } from '../preflight/process-identity.mjs';
export type { GuardedProcess } from './guarded-process.js';
export { spawnGuarded } from './guarded-process.js';
export { freePort } from './ports.js';
