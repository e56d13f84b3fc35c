import { type ProblemCode, problems } from './problems/index.js';
import type { ErrorKind } from './problems/problem-type.js';

/** A mistake in a request: the field, a stable code, and what to do about it. */
export interface FieldError {
  /** Dotted path into the body, as the caller wrote it: `events.0`. */
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

export interface AppErrorOptions extends ErrorOptions {
  readonly fields?: readonly FieldError[];
  /** Seconds after which another request is worthwhile. Sent as Retry-After (RFC 9110, section 10.2.3). */
  readonly retryAfterS?: number;
  /** Scope that the credential lacks. Sent as scope of WWW-Authenticate (RFC 6750, section 3.1). */
  readonly scope?: string;
  /** Maximum age of the user's authentication in seconds. Sent as max_age of WWW-Authenticate (RFC 9470, section 3). */
  readonly maxAgeS?: number;
}

/**
 * A problem as another process named it, whose release may know problems that this catalogue does not. Code that is no
 * part of the product, such as an example, names its own problems.
 */
export interface ForeignProblem {
  readonly kind: ErrorKind;
  readonly code: string;
}

/**
 * A failure we foresaw. `message` is written for the caller and crosses the wire;
 * `cause` is written for us and never leaves the process.
 */
export class AppError extends Error {
  readonly kind: ErrorKind;
  /** A `ProblemCode`, unless another process named it. */
  readonly code: string;
  readonly fields: readonly FieldError[];
  readonly retryAfterS: number | undefined;
  readonly scope: string | undefined;
  readonly maxAgeS: number | undefined;

  constructor(
    problem: ProblemCode | ForeignProblem,
    message: string,
    { fields = [], retryAfterS, scope, maxAgeS, ...options }: AppErrorOptions = {},
  ) {
    super(message, options);
    this.name = new.target.name;
    const { kind, code } =
      typeof problem === 'string' ? { kind: problems[problem].kind, code: problem } : problem;
    this.kind = kind;
    this.code = code;
    this.fields = fields;
    this.retryAfterS = retryAfterS;
    this.scope = scope;
    this.maxAgeS = maxAgeS;
  }

  /**
   * Returns an AppError as it is. Turns any other error into `internal` with the original as `cause`, so that its
   * message does not reach the caller.
   */
  static from(error: unknown): AppError {
    if (error instanceof AppError) return error;
    return new AppError('internal', 'Something went wrong on our side.', { cause: error });
  }
}
