import { Failure } from '../failure.js';
import { line } from '../output.js';
import { operatorCommand } from '../verbs.js';
import type { World } from '../world.js';

/** `junction health` */
export const command = (world: World) =>
  operatorCommand(world, {
    name: 'health',
    about: 'health of a service, and the checks of it that fail',
    examples: ['health -s webhooks'],
    async read({ ops, at, service, json, output }) {
      const params = { path: at };
      const { ready, failing } = await ops.get('/api/ops/{service}/health', { params });
      if (json) output.out(line({ service, ready, failing }));
      else if (ready) output.out(`${service} is ready.\n`);
      if (!ready) throw new Failure(`${service} is not ready: ${failing.join(', ')}.`);
    },
  });
