/** Every way a request can fail. The list is closed: a new kind is a change to the contract. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict' // the state forbids it: asking again will not help
  | 'contended' // somebody was faster: asking again may help
  | 'precondition_failed' // it changed since the caller read it
  | 'too_large'
  | 'unsupported_media_type'
  | 'unprocessable'
  | 'rate_limited'
  | 'unavailable'
  | 'internal';

/** What a code means to whoever meets it. Both texts are Markdown, and are shown at /docs/errors. */
export interface ProblemType {
  readonly kind: ErrorKind;
  /** What happened, and why it usually does. */
  readonly cause: string;
  /** What to do about it. */
  readonly remedy: string;
}

export type ProblemTypes = Readonly<Record<string, ProblemType>>;
