import type { OpsServiceServer } from '@junction/contracts';
import { unary } from '@junction/service-kit/grpc';
import type { Methods } from './methods.js';

/** Finding of a check: what the check looked at, what it found, and how to mend that. */
export interface Finding {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly remedy: string;
}

/** Reports what is wrong with the service's surroundings: its database, Kafka, keys, and so on. */
export const doctorMethods = (
  { journal, log }: Methods,
  { diagnose }: { readonly diagnose: () => Promise<readonly Finding[]> },
): Pick<OpsServiceServer, 'diagnose'> => ({
  diagnose: unary(log, async (_, { caller }) => {
    await journal.read(caller, 'Diagnose', {});
    return { findings: [...(await diagnose())] };
  }),
});
