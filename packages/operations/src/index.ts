export { authChecks } from './doctor/auth-checks.js';
export {
  type Check,
  type Complaint,
  type Finding,
  type Look,
  problem,
  warning,
} from './doctor/finding.js';
export { actorOf, idOf, isTool } from './http/actor.js';
export { foldOf } from './http/fold.js';
export { type Journal, operatorJournal } from './http/journal.js';
export { answerWithProgress } from './http/long-change.js';
export { operatorRouters } from './http/operator-routers.js';
export { type OperationsOptions, operationsOf } from './operations.js';
