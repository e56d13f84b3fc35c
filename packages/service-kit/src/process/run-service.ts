import type { DestinationStream } from 'pino';
import { ConfigError } from '../config/parse-config.js';
import { withSecretFiles } from '../config/secret-files.js';
import { type Logger, logger } from '../logging/logger.js';
import { mask } from '../logging/mask.js';
import { Closing } from './closing.js';

const STOP_DEADLINE_MS = 10_000;

/** What of the process this needs; `process` itself in a service's main. */
export interface Host {
  on(event: string, listener: (reason: unknown) => void): unknown;
  exit(code: number): unknown;
  readonly stderr: { write(text: string): unknown };
}

export interface Service<Config extends { readonly logLevel: string }> {
  readonly name: string;
  /** `process.env`: main.ts alone reads it. */
  readonly env: NodeJS.ProcessEnv;
  /** The words after the program: `process.argv.slice(2)`. None: serve. `migrate`: migrate and end. */
  readonly argv: readonly string[];
  readonly config: (env: NodeJS.ProcessEnv) => Config;
  /** Opens everything, the doors last, and returns once it is open. */
  readonly compose: (config: Config, log: Logger, closing: Closing) => Promise<void>;
  readonly migrate: (config: Config, log: Logger) => Promise<void>;
  /** Field names this service may log besides the common ones. */
  readonly logFields?: readonly string[];
  readonly host?: Host;
  /** Absent: standard output. */
  readonly logDestination?: DestinationStream;
}

/**
 * A process from its first line to its exit code: 0 after a clean stop or a migration, 1 after
 * anything else. SIGTERM and SIGINT close what was opened, in reverse, within ten seconds.
 * Resolves when the service is ready, or when the migration is done.
 */
export async function runService<Config extends { readonly logLevel: string }>(
  service: Service<Config>,
): Promise<void> {
  const { name, argv, host = process, logFields: fields = [] } = service;
  const config = readConfig(service, host);
  if (config === undefined) return;

  const { logDestination: destination } = service;
  const log = logger(name, config.logLevel, { fields, ...(destination && { destination }) });
  dieOfTheUnforeseen(log, host);

  const [command, ...rest] = argv;
  if (rest.length > 0 || (command !== undefined && command !== 'migrate')) {
    host.stderr.write(`${name}: the one command is "migrate"; without it the service starts.\n`);
    host.exit(1);
    return;
  }
  await (command === 'migrate'
    ? migrate(service, config, log, host)
    : serve(service, config, log, host));
}

function readConfig<Config extends { readonly logLevel: string }>(
  { name, env, config }: Service<Config>,
  host: Host,
): Config | undefined {
  try {
    return config(withSecretFiles(env));
  } catch (error) {
    const why = error instanceof ConfigError ? error.message : mask(String(error));
    host.stderr.write(`${name}: ${why}\n`);
    host.exit(1);
    return undefined;
  }
}

/** After an exception nobody caught the state is unknown: say so, and let the supervisor start afresh. */
function dieOfTheUnforeseen(log: Logger, host: Host): void {
  host.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    host.exit(1);
  });
  host.on('unhandledRejection', (reason) => {
    log.fatal({ err: reason }, 'unhandled rejection');
    host.exit(1);
  });
}

async function migrate<Config extends { readonly logLevel: string }>(
  service: Service<Config>,
  config: Config,
  log: Logger,
  host: Host,
): Promise<void> {
  try {
    await service.migrate(config, log);
    log.info('migrated');
    host.exit(0);
  } catch (error) {
    log.fatal({ err: error }, 'migration failed');
    host.exit(1);
  }
}

async function serve<Config extends { readonly logLevel: string }>(
  service: Service<Config>,
  config: Config,
  log: Logger,
  host: Host,
): Promise<void> {
  const closing = new Closing(log);
  let stopping = false;

  const stop = async (exitCode: number) => {
    // Ctrl-C reaches us twice, from the terminal and from the supervisor. Only the first one counts.
    if (stopping) return;
    stopping = true;
    setTimeout(() => {
      log.error({ deadline_ms: STOP_DEADLINE_MS }, 'not closed in time');
      host.exit(1);
    }, STOP_DEADLINE_MS).unref();
    await closing.closeAll();
    log.info({ exit_code: exitCode }, 'stopped');
    host.exit(exitCode);
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    host.on(signal, () => {
      log.info({ signal }, 'stopping');
      void stop(0);
    });
  }

  try {
    await service.compose(config, log, closing);
    if (!stopping) log.info('ready');
  } catch (error) {
    // A stop in the middle of opening makes the rest of the opening fail. That is no news.
    if (!stopping) log.fatal({ err: error }, 'could not start');
    await stop(1);
  }
}
