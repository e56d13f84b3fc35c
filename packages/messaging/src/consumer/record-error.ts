/**
 * Thrown by a handler that has found a record bad by itself: no retry would make it better, so it
 * becomes a dead letter at once. The message is kept with it and is published: name the field and
 * the rule it breaks, never the value.
 */
export class RecordError extends Error {
  constructor(
    /** Stable and machine-readable: `ce_id_missing`. */
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    // A record of a flood needs no stack: the message says all, and a cause has its own.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = new.target.name;
  }
}
