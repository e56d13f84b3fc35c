import { atMost } from '@junction/async';
import { build, buildText, flushTraces, onTraceProblem } from '@junction/telemetry';
import type { DestinationStream } from 'pino';
import type { z } from 'zod';
import { Closing } from './closing.js';
import { settingsFollower } from './config/follow-settings.js';
import { formerSettings } from './config/former-settings.js';
import { ConfigError } from './config/parse-config.js';
import { readWithFiles, withFiles } from './config/secret-files.js';
import { healthChecks } from './health.js';
import type { ListenOptions } from './listen.js';
import { logThrottle } from './log-throttle.js';
import { type Logger, logger } from './logging/logger.js';
import { mask } from './logging/mask.js';
import type { ServerNames } from './logging/server-away.js';
import { type Runtime, startRuntime } from './runtime.js';
import { type Host, stopper } from './stopper.js';
import { untilReady } from './until-ready.js';

/** Configuration of a service, as far as `runProcess` reads it. */
export interface ProcessConfig {
  readonly logLevel: string;
  readonly http: ListenOptions;
  /** Milliseconds for which a stopping service goes on serving, not ready any more, so that balancers notice. */
  readonly stopDelayMs: number;
}

/** Run of a command. Resolves to an exit code when the command has said all by itself; otherwise the log says it. */
type CommandRun = Promise<void> | Promise<number>;

/** Commands that a process runs instead of serving when its first argument names them, with what they read. */
interface CommandSet<Config extends Pick<ProcessConfig, 'logLevel'>> {
  readonly config: (env: NodeJS.ProcessEnv) => Config;
  readonly commands: Readonly<Record<string, (config: Config, log: Logger) => CommandRun>>;
  /** Servers that may be away, by port and host name: the log names them. */
  readonly servers?: ((config: Config) => ServerNames) | undefined;
}

export interface ProcessDefinition<
  Config extends ProcessConfig,
  JobConfig extends Pick<ProcessConfig, 'logLevel'> = Pick<ProcessConfig, 'logLevel'>,
> extends CommandSet<Config> {
  readonly name: string;
  /** Schema of the variables that `config` reads: those marked AT_ONCE follow SETTINGS_FILE. Absent: none does. */
  readonly settings?: z.ZodObject | undefined;
  /**
   * Reads the files that the environment names, opens nothing, and throws what is wrong with them: what
   * `config` leaves out of the command `check`.
   */
  readonly check?: ((env: NodeJS.ProcessEnv) => Promise<unknown>) | undefined;
  /** Opens everything, the servers last, and returns once all is open. */
  readonly serve: (config: Config, runtime: Runtime) => Promise<void>;
  /** Commands of jobs, which are given no more of the environment than they read. */
  readonly jobs?: CommandSet<JobConfig> | undefined;
  /**
   * Milliseconds that a stop may take after its delay, when fifteen seconds are too few. A supervisor that kills what
   * does not stop must wait longer than that.
   */
  readonly closeMaxMs?: number | undefined;
  /** Field names this process may log besides the common ones. */
  readonly logFields?: readonly string[] | undefined;
}

/**
 * Runs a process from its first line to its exit code: 0 after a clean stop or a command, 1 after anything else; 130 or
 * 143 when SIGINT or SIGTERM ends a command. The command `check` says whether the process could serve, and opens
 * nothing; `--version` says what the process was built of. SIGTERM and SIGINT stop a process that serves as `stopper`
 * says. Resolves when the process is ready, or when the command is done.
 */
export async function runProcess<
  Config extends ProcessConfig,
  JobConfig extends Pick<ProcessConfig, 'logLevel'>,
>(
  definition: ProcessDefinition<Config, JobConfig>,
  host: Host,
  destination?: DestinationStream,
): Promise<void> {
  const { name, jobs, logFields: fields = [] } = definition;
  const [word, ...rest] = host.argv.slice(WORDS_FROM);
  if (word === CHECK && rest.length === 0) return check(definition, host);
  if (word === VERSION) {
    host.stdout.write(`${name} ${buildText()}\n`);
    host.exit(0);
    return;
  }
  const known = [CHECK, ...Object.keys(jobs?.commands ?? {}), ...Object.keys(definition.commands)];
  const begun = { name, fields, known, host, destination };
  if (jobs && Object.hasOwn(jobs.commands, word ?? '')) return carryOut(jobs, begun);
  return carryOut(definition, begun, async (config, log) => serve(definition, config, log, host));
}

interface Begun {
  readonly name: string;
  readonly fields: readonly string[];
  readonly known: readonly string[];
  readonly host: Host;
  readonly destination: DestinationStream | undefined;
}

/** Runs the command that the first argument names; without one, serves. */
async function carryOut<Config extends Pick<ProcessConfig, 'logLevel'>>(
  { config: read, commands, servers: serversOf }: CommandSet<Config>,
  { name, fields, known, host, destination }: Begun,
  served?: (config: Config, log: Logger) => Promise<void>,
): Promise<void> {
  const config = readConfig(name, read, host);
  if (config === undefined) return;

  const servers = serversOf && { servers: serversOf(config) };
  const log = logger(name, config.logLevel, {
    fields,
    ...servers,
    ...(destination && { destination }),
  });
  exitOnUncaught(log, host);
  for (const { variable, message } of formerSettings(host.env).idle) {
    log.warn({ reason: `${variable} ${message}` }, 'a variable of the environment is not read');
  }

  const [word, ...rest] = host.argv.slice(WORDS_FROM);
  if (word === undefined) return served?.(config, log);
  const command = Object.hasOwn(commands, word) && rest.length === 0 ? commands[word] : undefined;
  if (command) return runCommand(word, () => command(config, log), log, host);
  const words = known.join('" and "');
  host.stderr.write(`${name}: the commands are "${words}"; without one the service starts.\n`);
  host.exit(1);
}

/** Before them argv names the program and its script. */
const WORDS_FROM = 2;
const CHECK = 'check';
const VERSION = '--version';

/** Checks whether the process could serve in this environment: 0, or 1 and every mistake on stderr. */
async function check<Config extends ProcessConfig>(
  definition: Omit<ProcessDefinition<Config>, 'jobs'>,
  host: Host,
): Promise<void> {
  host.exit((await tellMistakes(definition, host)) ? 1 : 0);
}

/** Writes every mistake of the environment and of the files it names to stderr, and returns whether there is any. */
export async function tellMistakes<Config extends ProcessConfig>(
  { name, config, check: checkFiles }: Pick<ProcessDefinition<Config>, 'name' | 'config' | 'check'>,
  host: Host,
): Promise<boolean> {
  const reasons = new Set<string>();
  const judges = [
    () => readWithFiles(host.env, config),
    () => checkFiles?.(withFiles(host.env).env),
  ];
  for (const judge of judges) {
    try {
      await judge();
    } catch (error) {
      reasons.add(reasonOf(error));
    }
  }
  if (reasons.size > 0) host.stderr.write(`${name}: ${[...reasons].join('\n')}\n`);
  return reasons.size > 0;
}

function readConfig<Config>(
  name: string,
  read: (env: NodeJS.ProcessEnv) => Config,
  host: Host,
): Config | undefined {
  try {
    return readWithFiles(host.env, read);
  } catch (error) {
    host.stderr.write(`${name}: ${reasonOf(error)}\n`);
    host.exit(1);
    return undefined;
  }
}

const reasonOf = (error: unknown): string => {
  if (error instanceof ConfigError) return error.message;
  return mask(error instanceof Error ? error.message : String(error));
};

/**
 * Ends the process after an uncaught exception: the state is unknown, so the error is logged and the supervisor starts
 * the process afresh.
 */
function exitOnUncaught(log: Logger, host: Host): void {
  host.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    host.exit(1);
  });
  host.on('unhandledRejection', (reason) => {
    log.fatal({ err: reason }, 'unhandled rejection');
    host.exit(1);
  });
}

/** Exit codes of a command by the signal that ends it, as shells have them. */
const ENDED_BY = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

async function runCommand(
  command: string,
  work: () => CommandRun,
  log: Logger,
  host: Host,
): Promise<void> {
  // The first process of a container is ended by no signal that it does not listen to.
  for (const [signal, code] of ENDED_BY) host.on(signal, () => host.exit(code));
  try {
    const code = await work();
    if (code === undefined) log.info({ type: command }, 'done');
    host.exit(code ?? 0);
  } catch (error) {
    log.fatal({ err: error, type: command }, 'failed');
    host.exit(1);
  }
}

async function serve<Config extends ProcessConfig>(
  definition: Omit<ProcessDefinition<Config>, 'jobs'>,
  config: Config,
  log: Logger,
  host: Host,
): Promise<void> {
  log.info({ ...build() }, 'starting');
  const closing = new Closing(log);
  sendTraces(closing, log);
  followSettings(definition, { config, closing, log, host });
  const health = healthChecks();
  const { http, stopDelayMs } = config;
  const { closeMaxMs } = definition;
  let open = false;
  const delayMs = () => (open ? stopDelayMs : 0);
  const { stop, stopping } = stopper({ log, closing, health, delayMs, closeMaxMs, host });

  try {
    await definition.serve(config, startRuntime({ log, closing, health, http, stopping }));
    open = true;
    await untilReady(health, log, stopping);
  } catch (error) {
    // A stop in the middle of opening makes the rest of the opening fail. That is no news.
    if (!stopping.aborted) log.fatal({ err: error }, 'could not start');
    await stop(1);
  }
}

/** Interval at which SETTINGS_FILE is read: whoever turns the level of the log up waits for its next lines. */
const SETTINGS_EVERY_MS = 1_000;

interface Serving<Config> extends Pick<Runtime, 'closing' | 'log'> {
  readonly config: Config;
  readonly host: Host;
}

function followSettings<Config extends ProcessConfig>(
  { config: read, settings: schema }: Pick<ProcessDefinition<Config>, 'config' | 'settings'>,
  { config, closing, log, host: { env } }: Serving<Config>,
): void {
  if (!schema || !env['SETTINGS_FILE']) return;
  const changed = () => {
    log.level = config.logLevel;
  };
  const look = settingsFollower({ env, read, schema, config, changed, log });
  const looking = setInterval(() => {
    try {
      look();
    } catch (error) {
      log.error({ reason: reasonOf(error) }, 'SETTINGS_FILE is refused: the settings before go on');
    }
  }, SETTINGS_EVERY_MS).unref();
  closing.add('settings', looking, async () => clearInterval(looking));
}

/** A collector that does not answer holds up no stop. */
const LAST_TRACES_MAX_MS = 2_000;

/** Sends traces until everything else is closed, so that the stop itself is traced. */
function sendTraces(closing: Closing, log: Logger): void {
  const throttled = logThrottle();
  onTraceProblem((reason) => throttled('', () => log.warn({ reason }, 'traces were not sent')));
  closing.add('traces', flushTraces, (flush) => atMost(LAST_TRACES_MAX_MS, flush()));
}
