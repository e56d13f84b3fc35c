import { Command } from 'commander';
import type { Integration } from '../../api/answers.js';
import { asksApi } from '../../asking-api.js';
import { table } from '../../output.js';
import { examples, type World } from '../../world.js';

/** `junction connections` */
export function connectionsCommand(world: World): Command {
  const command = new Command('connections')
    .description('mailboxes and calendars that are connected')
    .addHelpText('after', examples('connections', 'connections --json'));
  return asksApi(command, world, async ({ api, show }) => {
    show(await api.get('/api/integrations'), ({ integrations }) => connectionsTable(integrations));
  });
}

function connectionsTable(integrations: readonly Integration[]): string {
  const rows = integrations.map((one) => [
    one.integration_id,
    one.provider,
    one.identity_provider,
    one.account,
    one.status_reason ? `${one.status}: ${one.status_reason}` : one.status,
    one.connected_at,
  ]);
  const titles = ['ID', 'KIND', 'AT', 'ACCOUNT', 'STATUS', 'CONNECTED'];
  return table(titles, rows, 'Nothing is connected.');
}
