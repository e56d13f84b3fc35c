import { operatorGroup, operatorList } from '../verbs.js';
import type { World } from '../world.js';

/** `junction circuits …` */
export const command = (world: World) =>
  operatorGroup(
    world,
    ['circuits', 'webhooks that are left alone for failing', 'webhooks'],
    [
      operatorList({
        name: 'list',
        about: 'list the open circuits, the one whose probe is due next first',
        examples: ['circuits list'],
        path: '/api/ops/webhook-dispatcher/circuits',
        columns: {
          WEBHOOK: 'webhook_id',
          USER: 'user_id',
          HOST: 'host',
          STATE: 'state',
          OPENED: 'opened_at',
          PROBE: 'probe_at',
        },
        empty: 'No circuit is open.',
      }),
      {
        name: 'probe',
        about: 'send the next request now; when it succeeds the circuit closes',
        args: [['<webhook>', 'wh_…']],
        examples: ['circuits probe wh_0199…'],
        async write({ ops, show }, [id = '']) {
          await ops.post('/api/ops/webhook-dispatcher/circuits/{webhook_id}/probe', {
            params: { path: { webhook_id: id } },
          });
          const sent = `The next request to ${id} goes out now. If it succeeds the circuit closes.\n`;
          show({ webhook_id: id }, sent);
        },
      },
    ],
  );
