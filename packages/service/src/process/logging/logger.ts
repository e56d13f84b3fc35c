import { traceFields } from '@junction/telemetry';
import {
  type Bindings,
  type DestinationStream,
  type Logger,
  destination as openDestination,
  pino,
} from 'pino';
import { allowList } from './allow-list.js';
import { mask } from './mask.js';

export type { Logger } from 'pino';

export interface LoggerOptions {
  /** Further field names this service may log. */
  readonly fields?: readonly string[];
  /** Destination of the lines; absent: standard output, written at once so that a crash loses no line. */
  readonly destination?: DestinationStream;
}

/**
 * Returns a logger of JSON lines. Fields pass an allow-list, and each finished line passes a filter that masks keys,
 * secrets, JWTs, `code=` and `token=`. Messages are sentences of ours: put values into fields.
 */
export function logger(
  name: string,
  level: string,
  { fields = [], destination = openDestination(1) }: LoggerOptions = {},
): Logger {
  const allowed = allowList(fields);
  const log = pino(
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
      hooks: { streamWrite: mask },
    },
    destination,
  );

  // A child's bindings skip the formatter above, so they pass the list here. Children inherit this.
  const child: (this: Logger, bindings: object, options?: object) => Logger = Reflect.get(
    log,
    'child',
  );
  return Object.assign(log, {
    child(this: Logger, bindings: Bindings, options?: object): Logger {
      return child.call(this, allowed(bindings), options);
    },
  });
}
