import { Command, CommanderError } from 'commander';
import { auditCommand } from './commands/audit.js';
import { authCommand } from './commands/auth.js';
import { clientsCommand } from './commands/clients.js';
import { consumersCommand } from './commands/consumers.js';
import { deadLettersCommand } from './commands/dead-letters.js';
import { doctorCommand } from './commands/doctor.js';
import { eventsCommand } from './commands/events.js';
import { healthCommand } from './commands/health.js';
import { keysCommand } from './commands/keys.js';
import { operatorsCommand } from './commands/operators.js';
import { projectionsCommand } from './commands/projections.js';
import { restoreCommand } from './commands/restore.js';
import { usersCommand } from './commands/users.js';
import { webhooksCommand } from './commands/webhooks.js';
import { EXIT, Failure } from './failure.js';
import type { World } from './world.js';

const INTRODUCTION = [
  "What an operator sees and does in a running Junction: through each service's OpsService, never " +
    'through a database. Every call is itself recorded, as a stream ops-… of that service.',
  'It asks as the operator of the product that npm start runs in this checkout, or as the service ' +
    'account that JUNCTION_CLIENT_ID, JUNCTION_CLIENT_SECRET (or JUNCTION_CLIENT_KEY_FILE, a JWK, with JUNCTION_ISSUER) and JUNCTION_TOKEN_URL name, at ' +
    'AUTH_GRPC_ADDRESS, INTEGRATIONS_GRPC_ADDRESS and WEBHOOKS_GRPC_ADDRESS, by TLS (GRPC_TLS_CA_FILE).',
  'Ends with 0 when it is done, 1 when it was refused or failed, 2 when it was asked wrongly.',
].join('\n\n');

/** Runs one command line. @returns the exit code; what went wrong has been said. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  const { output } = world;
  try {
    await program(world).parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said already what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
    if (!(error instanceof Failure)) throw error;
    output.note(error.message);
    return error.exitCode;
  }
}

function program(world: World): Command {
  const { output } = world;
  const junction = new Command('junction')
    .description(INTRODUCTION)
    .addCommand(eventsCommand(world))
    .addCommand(projectionsCommand(world))
    .addCommand(deadLettersCommand(world))
    .addCommand(consumersCommand(world))
    .addCommand(keysCommand(world))
    .addCommand(authCommand(world))
    .addCommand(webhooksCommand(world))
    .addCommand(clientsCommand(world))
    .addCommand(usersCommand(world))
    .addCommand(operatorsCommand(world))
    .addCommand(auditCommand(world))
    .addCommand(healthCommand(world))
    .addCommand(doctorCommand(world))
    .addCommand(restoreCommand(world));
  for (const command of everyCommand(junction)) {
    command.exitOverride().showHelpAfterError('(add --help for what it takes)');
    command.configureOutput({
      writeOut: output.out,
      writeErr: (text) => output.note(text.trimEnd()),
    });
  }
  return junction;
}

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap((inner) => everyCommand(inner))];
}
