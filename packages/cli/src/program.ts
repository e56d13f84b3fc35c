import { Command, CommanderError } from 'commander';
import { auditCommand } from './commands/audit.js';
import { authCommand } from './commands/auth.js';
import { clientsCommand } from './commands/clients.js';
import { consumersCommand } from './commands/consumers.js';
import { deadLettersCommand } from './commands/dead-letters.js';
import { completeCommand, completionCommand } from './commands/developers/completion.js';
import { connectionsCommand } from './commands/developers/connections.js';
import { deliveriesCommand } from './commands/developers/deliveries.js';
import { listenCommand } from './commands/developers/listen.js';
import { loginCommand, logoutCommand } from './commands/developers/login.js';
import { mcpCommand } from './commands/developers/mcp.js';
import { statusCommand } from './commands/developers/status.js';
import { triggerCommand } from './commands/developers/trigger.js';
import { webhooksCommand } from './commands/developers/webhooks.js';
import { doctorCommand } from './commands/doctor.js';
import { eventsCommand } from './commands/events.js';
import { healthCommand } from './commands/health.js';
import { keysCommand } from './commands/keys.js';
import { operatorsCommand } from './commands/operators.js';
import { projectionsCommand } from './commands/projections.js';
import { restoreCommand } from './commands/restore.js';
import { usersCommand } from './commands/users.js';
import { EXIT, Failure } from './failure.js';
import { HELP } from './help.js';
import { VERSION } from './version.js';
import type { World } from './world.js';

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

/** Every command there is. */
export function program(world: World): Command {
  const { output } = world;
  const junction = new Command('junction')
    .helpCommand('help [command]', 'what a command takes')
    .addCommand(loginCommand(world))
    .addCommand(logoutCommand(world))
    .addCommand(statusCommand(world))
    .addCommand(connectionsCommand(world))
    .addCommand(webhooksCommand(world))
    .addCommand(deliveriesCommand(world))
    .addCommand(triggerCommand(world))
    .addCommand(listenCommand(world))
    .addCommand(mcpCommand(world))
    .addCommand(completionCommand(world))
    .addCommand(new Command('version').action(() => output.out(`${VERSION}\n`)))
    .addCommand(eventsCommand(world))
    .addCommand(projectionsCommand(world))
    .addCommand(deadLettersCommand(world))
    .addCommand(consumersCommand(world))
    .addCommand(keysCommand(world))
    .addCommand(authCommand(world))
    .addCommand(clientsCommand(world))
    .addCommand(usersCommand(world))
    .addCommand(operatorsCommand(world))
    .addCommand(auditCommand(world))
    .addCommand(healthCommand(world))
    .addCommand(doctorCommand(world))
    .addCommand(restoreCommand(world));
  junction.addCommand(completeCommand(junction, world), { hidden: true });
  junction.helpInformation = () => HELP;
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
