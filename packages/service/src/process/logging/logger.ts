import { traceFields } from '@junction/telemetry';
import {
  type Bindings,
  type DestinationStream,
  destination as openDestination,
  type Logger as PinoLogger,
  pino,
} from 'pino';
import { allowList } from './allow-list.js';
import { mask } from './mask.js';
import { outageLines } from './outage-lines.js';
import type { ServerNames } from './server-away.js';

/** Logger of pino, which hears of answers too. */
export interface Logger extends PinoLogger {
  /** Says that a server has answered what it was asked at `askedMs` of `performance.now()`: an outage of it is over. */
  readonly answered: (server: string, askedMs: number) => void;
}

/** Numbers of pino's levels. */
const WARN = 40;
const ERROR = 50;

const isFields = (line: unknown): line is Readonly<Record<string, unknown>> =>
  typeof line === 'object' && line !== null && !(line instanceof Error);

export interface LoggerOptions {
  /** Further field names this service may log. */
  readonly fields?: readonly string[];
  /** Destination of the lines; absent: standard output, written at once so that a crash loses no line. */
  readonly destination?: DestinationStream;
  /** Names of servers that may be away, for the lines about their outages. */
  readonly servers?: ServerNames;
}

/**
 * Returns a logger of JSON lines. Fields pass an allow-list, and each finished line passes a filter that masks keys,
 * secrets, JWTs, `code=` and `token=`. Messages are sentences of ours: put values into fields. Lines whose error tells
 * that a server is away become a few for each outage, unless the level is `debug` or the line has `keep: true`.
 */
export function logger(
  name: string,
  level: string,
  { fields = [], destination = openDestination(1), servers }: LoggerOptions = {},
): Logger {
  const allowed = allowList(fields);
  const outages = outageLines((line, message) => log.warn(line, message), servers);
  const log: PinoLogger = pino(
    {
      name,
      level,
      base: {},
      mixin: traceFields,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        bindings: allowed,
        log: allowed,
      },
      // Errors are described by the list already; pino's own serializer would take them for new ones.
      serializers: { err: (described: unknown) => described },
      hooks: {
        streamWrite: mask,
        logMethod(args, method, level) {
          const [line, message] = args as [unknown, unknown];
          const isGrouped = level === WARN || level === ERROR;
          if (isGrouped && !this.isLevelEnabled('debug') && isFields(line)) {
            const first = (fields: object, text: string) => method.call(this, fields, text);
            if (outages.take(line, String(message), first)) return;
          }
          method.apply(this, args);
        },
      },
    },
    destination,
  );

  // A child's bindings skip the formatter above, so they pass the list here. Children inherit this.
  const child: (this: PinoLogger, bindings: object, options?: object) => PinoLogger = Reflect.get(
    log,
    'child',
  );
  return Object.assign(log, {
    answered: outages.answered,
    child(this: PinoLogger, bindings: Bindings, options?: object): PinoLogger {
      return child.call(this, allowed(bindings), options);
    },
  });
}
