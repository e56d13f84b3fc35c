import type { DestinationStream } from 'pino';
import { ConfigError } from '../config/parse-config.js';
import { withSecretFiles } from '../config/secret-files.js';
import { healthChecks } from '../health.js';
import type { ListenOptions } from '../http/listen.js';
import { type Logger, logger } from '../logging/logger.js';
import { mask } from '../logging/mask.js';
import { Closing } from './closing.js';
import { beginLife, type Life } from './life.js';
import { type Host, stopper } from './stopper.js';
import { untilReady } from './until-ready.js';

/** What this reads of a service's config. */
export interface ProcessConfig {
  readonly logLevel: string;
  readonly http: ListenOptions;
  /** How long a stop goes on serving, not ready any more, so that balancers notice. */
  readonly stopDelayMs: number;
}

export interface Service<Config extends ProcessConfig> {
  readonly name: string;
  /** `process.env`: main.ts alone reads it. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * The words after the program: `process.argv.slice(2)`. None: serve. `migrate` and `finish-restore`: do
   * that and end.
   */
  readonly argv: readonly string[];
  readonly config: (env: NodeJS.ProcessEnv) => Config;
  /** Opens everything, the doors last, and returns once it is open. */
  readonly compose: (config: Config, life: Life) => Promise<void>;
  readonly migrate: (config: Config, log: Logger) => Promise<void>;
  /** After its database was restored into another cluster: until then the service waits. */
  readonly finishRestore: (config: Config, log: Logger) => Promise<void>;
  /**
   * Milliseconds that a stop may take after its delay, where fifteen seconds are too few. Whoever kills
   * what does not stop must wait longer than that.
   */
  readonly closeMaxMs?: number;
  /** Field names this service may log besides the common ones. */
  readonly logFields?: readonly string[];
  readonly host?: Host;
  /** Absent: standard output. */
  readonly logDestination?: DestinationStream;
}

/**
 * A process from its first line to its exit code: 0 after a clean stop or an errand, 1 after
 * anything else. SIGTERM and SIGINT stop it as `stopper` says. Resolves when the service is ready, or
 * when the errand is done.
 */
export async function runService<Config extends ProcessConfig>(
  service: Service<Config>,
): Promise<void> {
  const { name, argv, host = process, logFields: fields = [] } = service;
  const config = readConfig(service, host);
  if (config === undefined) return;

  const { logDestination: destination } = service;
  const log = logger(name, config.logLevel, { fields, ...(destination && { destination }) });
  dieOfTheUnforeseen(log, host);

  const [command, ...rest] = argv;
  if (command === undefined) return serve(service, config, log, host);
  const errands = { migrate: service.migrate, 'finish-restore': service.finishRestore };
  if (rest.length > 0 || !Object.hasOwn(errands, command)) {
    const known = Object.keys(errands).join('" and "');
    host.stderr.write(`${name}: the commands are "${known}"; without one the service starts.\n`);
    host.exit(1);
    return;
  }
  await runErrand(
    command,
    async () => errands[command as keyof typeof errands](config, log),
    log,
    host,
  );
}

function readConfig<Config extends ProcessConfig>(
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

async function runErrand(
  command: string,
  errand: () => Promise<void>,
  log: Logger,
  host: Host,
): Promise<void> {
  try {
    await errand();
    log.info({ type: command }, 'done');
    host.exit(0);
  } catch (error) {
    log.fatal({ err: error, type: command }, 'failed');
    host.exit(1);
  }
}

async function serve<Config extends ProcessConfig>(
  service: Service<Config>,
  config: Config,
  log: Logger,
  host: Host,
): Promise<void> {
  const closing = new Closing(log);
  const health = healthChecks();
  const { http, stopDelayMs } = config;
  const { closeMaxMs } = service;
  let open = false;
  const delayMs = () => (open ? stopDelayMs : 0);
  const { stop, stopping } = stopper({ log, closing, health, delayMs, closeMaxMs, host });

  try {
    await service.compose(config, beginLife({ log, closing, health, http, stopping }));
    open = true;
    await untilReady(health, log, stopping);
  } catch (error) {
    // A stop in the middle of opening makes the rest of the opening fail. That is no news.
    if (!stopping.aborted) log.fatal({ err: error }, 'could not start');
    await stop(1);
  }
}
