/** Every way a request can fail. The list is closed: a new kind is a change to the contract. */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict' // the state forbids the request: repeating will not help
  | 'contended' // another change came first: repeating may help
  | 'precondition_failed' // the resource changed since the caller read it
  | 'too_large'
  | 'unsupported_media_type'
  | 'unprocessable'
  | 'rate_limited'
  | 'unavailable'
  | 'internal';

/** Explanation of a code for its reader. Both texts are Markdown, and are shown at /docs/errors. */
export interface ProblemType {
  readonly kind: ErrorKind;
  /** Description of what happened, and of the usual reason. */
  readonly cause: string;
  /** Steps that solve the problem. */
  readonly remedy: string;
}

export type ProblemTypes = Readonly<Record<string, ProblemType>>;
