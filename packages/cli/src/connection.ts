import { createClient, type JunctionClient } from '@junction/client';
import { opsFailure } from './ops-failure.js';
import { AUDIENCES, type ServiceName, settingsOf } from './settings.js';
import { tokenSource } from './token.js';

/** Runs calls of a service's routes for operators. A write needs a token that cannot read, and the other way round. */
export type AsOperator = <Result>(
  may: 'read' | 'write',
  run: (ops: JunctionClient) => Promise<Result>,
) => Promise<Result>;

/** Where the settings of a command are looked for. */
interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/**
 * Returns a function that calls a service as the service account of the environment or of this checkout. It throws each
 * failure in words for an operator.
 */
export function operatorAt({ env, cwd }: Surroundings, service: ServiceName): AsOperator {
  const settings = settingsOf(env, cwd, service);
  const { url } = settings;
  return async (may, run) => {
    const token = tokenSource(settings, { audience: AUDIENCES[service], scope: `ops:${may}` });
    const ops = createClient({
      // The gateway has no such path: it is there on the service's own port alone.
      baseUrl: `${url}/internal`,
      credential: { token },
      retriesMax: 0,
    });
    try {
      return await run(ops);
    } catch (error) {
      throw opsFailure({ service, url }, error);
    }
  };
}
