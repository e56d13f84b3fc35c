/** What this package says, and to whom. A pino logger fits; `err` is the field for an error. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** For who does not want to hear it. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
