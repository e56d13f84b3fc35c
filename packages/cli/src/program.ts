import { Command, CommanderError } from 'commander';
import { completeCommand } from './commands/developers/completion.js';
import { EXIT, Failure } from './failure.js';
import { commandFirst } from './global-options.js';
import { HELP } from './help.js';
import { failureText } from './refusal.js';
import { withNearSuggestions } from './suggestions.js';
import { VERSION } from './version.js';
import type { World } from './world.js';

/** Runs one command line. @returns the exit code; what went wrong has been said. */
export async function run(argv: readonly string[], world: World): Promise<number> {
  const { output } = world;
  const line = commandFirst(argv);
  const junction = await program(world, commandIn(line));
  let called: Command | undefined;
  junction.hook('preAction', (_, command) => {
    called = command;
  });
  try {
    await junction.parseAsync(line, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has said already what is wrong, or shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
    if (!(error instanceof Failure)) {
      if (world.signal.aborted) return EXIT.interrupted;
      throw error;
    }
    output.note(failureText(error, called));
    return error.exitCode;
  }
}

/**
 * Commands by name. Each loads its modules when it is called: loading all of them takes longer than most commands.
 */
const COMMANDS: Readonly<Record<string, (world: World) => Promise<Command>>> = {
  login: async (world) => (await import('./commands/developers/login.js')).loginCommand(world),
  logout: async (world) => (await import('./commands/developers/login.js')).logoutCommand(world),
  status: async (world) => (await import('./commands/developers/status.js')).statusCommand(world),
  connections: async (world) =>
    (await import('./commands/developers/connections.js')).connectionsCommand(world),
  webhooks: async (world) =>
    (await import('./commands/developers/webhooks.js')).webhooksCommand(world),
  deliveries: async (world) =>
    (await import('./commands/developers/deliveries.js')).deliveriesCommand(world),
  trigger: async (world) =>
    (await import('./commands/developers/trigger.js')).triggerCommand(world),
  listen: async (world) => (await import('./commands/developers/listen.js')).listenCommand(world),
  mcp: async (world) => (await import('./commands/developers/mcp.js')).mcpCommand(world),
  completion: async (world) =>
    (await import('./commands/developers/completion.js')).completionCommand(world),
  version: async ({ output }) => new Command('version').action(() => output.out(`${VERSION}\n`)),
  events: async (world) => (await import('./commands/events.js')).eventsCommand(world),
  projections: async (world) =>
    (await import('./commands/projections.js')).projectionsCommand(world),
  dlq: async (world) => (await import('./commands/dead-letters.js')).deadLettersCommand(world),
  consumers: async (world) => (await import('./commands/consumers.js')).consumersCommand(world),
  circuits: async (world) => (await import('./commands/circuits.js')).circuitsCommand(world),
  shards: async (world) => (await import('./commands/shards.js')).shardsCommand(world),
  keys: async (world) => (await import('./commands/keys.js')).keysCommand(world),
  auth: async (world) => (await import('./commands/auth.js')).authCommand(world),
  clients: async (world) => (await import('./commands/clients.js')).clientsCommand(world),
  users: async (world) => (await import('./commands/users.js')).usersCommand(world),
  operators: async (world) => (await import('./commands/operators.js')).operatorsCommand(world),
  'portal-link': async (world) =>
    (await import('./commands/portal-link.js')).portalLinkCommand(world),
  audit: async (world) => (await import('./commands/audit.js')).auditCommand(world),
  health: async (world) => (await import('./commands/health.js')).healthCommand(world),
  doctor: async (world) => (await import('./commands/doctor.js')).doctorCommand(world),
  restore: async (world) => (await import('./commands/restore.js')).restoreCommand(world),
};

/**
 * Returns the name of the called command. For a completion (`__complete -- deliveries re`) that is the command within
 * which a word is completed.
 */
const commandIn = (argv: readonly string[]): string | undefined =>
  argv[0] === '__complete' && argv.length > 3 ? argv[2] : argv[0];

/** Builds the program with every command, or with the named one alone when it exists. */
export async function program(world: World, name = ''): Promise<Command> {
  const { output } = world;
  const isKnown = Object.hasOwn(COMMANDS, name);
  const junction = new Command('junction')
    .helpCommand('help [command]', 'what a command takes')
    .version(VERSION)
    // Behind a command --version is that command's own: `events state` has one.
    .enablePositionalOptions();
  for (const [one, make] of Object.entries(COMMANDS)) {
    if (one === name || !isKnown) junction.addCommand(await make(world));
  }
  junction.addCommand(completeCommand(junction, world), { hidden: true });
  junction.helpInformation = () => HELP;
  for (const command of everyCommand(junction)) {
    command.exitOverride().showHelpAfterError('(add --help for what it takes)');
    command.configureOutput({
      writeOut: output.out,
      writeErr: (text) => output.note(text.trimEnd()),
      outputError: (text, write) => write(withNearSuggestions(text)),
    });
  }
  return junction;
}

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap((inner) => everyCommand(inner))];
}
