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
  | 'address_too_long'
  | 'headers_too_large'
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

/** Makes the problems of a kind, each of its cause and its remedy. */
const ofKind =
  (kind: ErrorKind) =>
  (cause: string, remedy: string): ProblemType => ({ kind, cause, remedy });

export const invalid = ofKind('invalid');
export const unauthenticated = ofKind('unauthenticated');
export const forbidden = ofKind('forbidden');
export const notFound = ofKind('not_found');
export const methodNotAllowed = ofKind('method_not_allowed');
export const conflict = ofKind('conflict');
export const contended = ofKind('contended');
export const preconditionFailed = ofKind('precondition_failed');
export const tooLarge = ofKind('too_large');
export const addressTooLong = ofKind('address_too_long');
export const headersTooLarge = ofKind('headers_too_large');
export const unsupportedMediaType = ofKind('unsupported_media_type');
export const unprocessable = ofKind('unprocessable');
export const rateLimited = ofKind('rate_limited');
export const unavailable = ofKind('unavailable');
export const internal = ofKind('internal');
