import { apiCommand } from '../../api-command.js';
import { listTable } from '../../output.js';
import type { World } from '../../world.js';

/** `junction connections` */
export const command = (world: World) =>
  apiCommand(world, {
    name: 'connections',
    about: 'mailboxes and calendars that are connected',
    examples: ['connections', 'connections --json'],
    async run({ api, show }) {
      show(await api.get('/api/integrations'), ({ integrations }) =>
        listTable(
          {
            ID: 'integration_id',
            KIND: 'provider',
            AT: 'identity_provider',
            ACCOUNT: 'account',
            STATUS: ({ status, status_reason: reason }) =>
              reason ? `${status}: ${reason}` : status,
            CONNECTED: 'connected_at',
          },
          integrations,
          'Nothing is connected.',
        ),
      );
    },
  });
