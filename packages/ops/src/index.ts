export type { Changes } from './changes.js';
export { type Fold, foldOf } from './fold.js';
export { type Journal, operatorJournal } from './journal.js';
export { type Ops, type OpsOptions, opsService } from './ops-service.js';
export type { Access, Reads } from './reads.js';
export { operatorRefusals, type Refusals } from './refusals.js';
export { tell } from './tell.js';
