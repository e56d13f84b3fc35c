/** Reason why a request is refused. These codes stay stable. */
export type VerificationProblem =
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_outside_tolerance'
  | 'no_matching_signature'
  | 'invalid_payload'
  | 'wrong_webhook'
  | 'body_too_large';

/** The request is refused. `message` is for people and holds no secret: it may be the answer. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(
    readonly code: VerificationProblem,
    message: string,
  ) {
    super(message);
  }

  /** Status to answer with: 413 for a body that is too large, otherwise 401. */
  get status(): 401 | 413 {
    return this.code === 'body_too_large' ? 413 : 401;
  }
}
