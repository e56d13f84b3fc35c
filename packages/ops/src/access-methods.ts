import type { OpsServiceServer } from '@junction/contracts';
import { unary } from '@junction/service-kit/grpc';
import type { Methods } from './methods.js';
import type { Access, Reads } from './reads.js';

/** Implements the methods for the health of the service, and for what operators looked at and changed. */
export const accessMethods = (
  { log }: Methods,
  reads: Reads,
): Pick<OpsServiceServer, 'getHealth' | 'listAccesses'> => ({
  getHealth: unary(log, async (_request, { caller }) => {
    const { ready, failing } = await reads.health(caller);
    return { ready, failing: [...failing] };
  }),

  listAccesses: unary(log, async (request, { caller }) => {
    const { accesses, next } = await reads.accesses(caller, request);
    return { accesses: accesses.map(view), next: next ?? '' };
  }),
});

const view = ({ arguments: facts, code = '', ...access }: Access) => ({
  ...access,
  code,
  argumentsJson: JSON.stringify(facts),
});
