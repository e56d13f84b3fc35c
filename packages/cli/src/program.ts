import { Command, CommanderError } from 'commander';
import { completeCommand } from './commands/developers/completion.js';
import { EXIT, Failure } from './failure.js';
import { commandFirst } from './global-options.js';
import { HELP } from './help.js';
import { failureText } from './refusal.js';
import { withNearSuggestions } from './suggestions.js';
import { VERSION, versionText } from './version.js';
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
const COMMANDS: Readonly<
  Record<string, () => Promise<{ readonly command: (world: World) => Command }>>
> = {
  login: async () => ({ command: (await import('./commands/developers/login.js')).loginCommand }),
  logout: async () => ({ command: (await import('./commands/developers/login.js')).logoutCommand }),
  status: async () => import('./commands/developers/status.js'),
  connections: async () => import('./commands/developers/connections.js'),
  webhooks: async () => import('./commands/developers/webhooks.js'),
  deliveries: async () => import('./commands/developers/deliveries.js'),
  trigger: async () => import('./commands/developers/trigger.js'),
  listen: async () => import('./commands/developers/listen.js'),
  mcp: async () => import('./commands/developers/mcp.js'),
  completion: async () => import('./commands/developers/completion.js'),
  version: async () => ({ command: versionCommand }),
  events: async () => import('./commands/events.js'),
  projections: async () => import('./commands/projections.js'),
  dlq: async () => import('./commands/dead-letters.js'),
  consumers: async () => import('./commands/consumers.js'),
  circuits: async () => import('./commands/circuits.js'),
  shards: async () => import('./commands/shards.js'),
  pauses: async () => import('./commands/pauses.js'),
  keys: async () => import('./commands/keys.js'),
  auth: async () => import('./commands/auth.js'),
  clients: async () => import('./commands/clients.js'),
  users: async () => import('./commands/users.js'),
  operators: async () => import('./commands/operators.js'),
  'portal-link': async () => import('./commands/portal-link.js'),
  audit: async () => import('./commands/audit.js'),
  health: async () => import('./commands/health.js'),
  doctor: async () => import('./commands/doctor.js'),
  restore: async () => import('./commands/restore.js'),
};

const versionCommand = ({ output }: World): Command =>
  new Command('version').action(() => output.out(`${versionText()}\n`));

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
    // Only a line that begins with an option may ask for it: git is not run for the others.
    .version(name.startsWith('-') ? versionText() : VERSION)
    // Behind a command --version is that command's own: `events state` has one.
    .enablePositionalOptions();
  for (const [one, load] of Object.entries(COMMANDS)) {
    if (one === name || !isKnown) junction.addCommand((await load()).command(world));
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
