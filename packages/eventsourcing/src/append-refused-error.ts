/** Reason why every store refuses an append. */
export type AppendRefusal =
  | 'stream_id_invalid'
  | 'event_type_unknown'
  | 'event_data_invalid'
  | 'event_too_large';

/**
 * Error of an append that is wrong whatever the store holds, so that repeating it does not help. Nothing was stored.
 * The mistake is that of the code that made the append, or of a server that accepted too much, so the message is not
 * for the sender of the request.
 */
export class AppendRefusedError extends Error {
  constructor(
    readonly reason: AppendRefusal,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}
