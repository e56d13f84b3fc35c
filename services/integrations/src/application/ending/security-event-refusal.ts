/** RFC 8935, section 2.4. */
export type SecurityEventError =
  | 'invalid_request'
  | 'invalid_key'
  | 'invalid_issuer'
  | 'invalid_audience'
  | 'authentication_failed';

/** Refusal of a security event token. The message is for the sender. */
export class SecurityEventRefusal extends Error {
  constructor(
    readonly err: SecurityEventError,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}
