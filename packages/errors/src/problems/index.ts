import { accountProblems } from './accounts.js';
import { callerProblems } from './callers.js';
import { integrationProblems } from './integrations.js';
import { operationsProblems } from './operations.js';
import { requestProblems } from './requests.js';
import { eventProblems, webhookProblems } from './webhooks.js';

/** The catalogue by areas: every code with what it means and what to do. The order is that of the pages. */
export const problemAreas = {
  requests: requestProblems,
  callers: callerProblems,
  accounts: accountProblems,
  integrations: integrationProblems,
  webhooks: webhookProblems,
  events: eventProblems,
  operations: operationsProblems,
} as const;

/** The problems of all areas, by their codes. */
export const problems = {
  ...requestProblems,
  ...callerProblems,
  ...accountProblems,
  ...integrationProblems,
  ...webhookProblems,
  ...eventProblems,
  ...operationsProblems,
} as const;

/** Code of a problem: stable and machine-readable. Clients branch on the code, so it outlives any rewording. */
export type ProblemCode = keyof typeof problems;
