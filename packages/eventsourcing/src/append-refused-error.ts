/** What is wrong with an append that no store takes. */
export type AppendRefusal =
  | 'stream_id_invalid'
  | 'event_type_unknown'
  | 'event_data_invalid'
  | 'event_too_large';

/**
 * The append itself is wrong, whatever the store holds: sending it again will not help. Nothing was
 * stored. A mistake of the code that made it, or of a server that let too much in, so its message is not
 * for whoever sent the request.
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
