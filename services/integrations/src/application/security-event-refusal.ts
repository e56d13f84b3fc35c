/** RFC 8935, section 2.4. */
export type SecurityEventError =
  | 'invalid_request'
  | 'invalid_key'
  | 'invalid_issuer'
  | 'invalid_audience'
  | 'authentication_failed';

/** A security event token that is not taken. The message is for whoever sent it. */
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
