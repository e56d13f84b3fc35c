import type { OpsServiceServer } from '@junction/contracts';
import { unary } from '@junction/service-kit/grpc';
import type { Methods } from './methods.js';

/** What was looked at, what was found there, and what to do about it. */
export interface Finding {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly remedy: string;
}

/** What of the service's surroundings is not as it must be. */
export const doctorMethods = (
  { journal, log }: Methods,
  { diagnose }: { readonly diagnose: () => Promise<readonly Finding[]> },
): Pick<OpsServiceServer, 'diagnose'> => ({
  diagnose: unary(log, async (_, { caller }) => {
    await journal.read(caller, 'Diagnose', {});
    return { findings: [...(await diagnose())] };
  }),
});
