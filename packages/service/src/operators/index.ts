export { actorOf, idOf, isTool } from './actor.js';
export type { OperatorRouters } from './context.js';
export { type Fold, foldOf } from './fold.js';
export { type Journal, operatorJournal } from './journal.js';
export { answerWithProgress } from './long-change.js';
export { operatorRouters } from './operator-routers.js';
export { operatorRefusals, type Refusals } from './refusals.js';
