import type { ProblemCode, Schemas } from './schemas.js';

type Problem = Schemas['Problem'];
type FieldProblem = NonNullable<Problem['errors']>[number];

/** A request that was answered, and refused (RFC 9457). The message is its `detail`. */
export class JunctionProblem extends Error {
  override readonly name = 'JunctionProblem';
  readonly status: number;
  /** Stable: branch on it. `unexplained`: what answered was not the API. */
  readonly code: ProblemCode | 'unexplained' | (string & Record<never, never>);
  /** Explanation for a person: what happened and what to do. */
  readonly detail: string;
  /** The body as it came, with members beyond those of every problem (RFC 9457, section 3.2): `mfa_token`. */
  readonly body: unknown;
  /** Mistakes of the request, each with its field. */
  readonly errors: readonly FieldProblem[];
  /** Id of the request, for whoever helps you. */
  readonly requestId: string | undefined;
  /** Seconds from Retry-After, after which the request may be sent again. */
  readonly retryAfterS: number | undefined;

  constructor({ status, headers }: Response, body: unknown) {
    const problem = problemIn(body);
    super(problem?.detail ?? `It was answered with status ${status}, and nobody said why.`);
    this.status = status;
    this.code = problem?.code ?? 'unexplained';
    this.detail = this.message;
    this.body = body;
    this.errors = problem?.errors ?? [];
    this.requestId = problem?.request_id ?? headers.get('x-request-id') ?? undefined;
    const retryAfterMs = retryAfter(headers);
    this.retryAfterS = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000);
  }
}

/** No answer: the connection failed, or broke, or nothing came in time (TimeoutError). `cause` says which. */
export class JunctionUnreachableError extends Error {
  override readonly name = 'JunctionUnreachableError';
}

/** Milliseconds that Retry-After (RFC 9110, section 10.2.3: seconds or a date) asks for. */
export function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

type Told = Pick<Problem, 'detail'> &
  Partial<Pick<Problem, 'errors' | 'request_id'>> & { readonly code: string };

/** The token endpoint refuses as OAuth wants it (RFC 6749, section 5.2). */
function problemIn(body: unknown): Told | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if ('code' in body && 'detail' in body) return body as Problem;
  if (!('error' in body && 'error_description' in body)) return undefined;
  return { code: String(body.error), detail: String(body.error_description) };
}
