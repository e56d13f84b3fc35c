/** Logger of this package. A pino logger fits; `err` is the field for an error. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Logger that discards everything. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
