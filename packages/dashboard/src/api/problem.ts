import type { Schemas } from '@junction/client';

type Answered = Schemas['Problem'];

/** A problem (RFC 9457), as every service of Junction answers what it refuses; or one in our words. */
export type Problem = Pick<Answered, 'status' | 'code' | 'detail'> &
  Pick<Partial<Answered>, 'request_id' | 'errors'>;

/** A request that was answered, and refused. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';

  constructor(
    readonly problem: Problem,
    /** Seconds, from Retry-After. */
    readonly retryAfterS?: number,
  ) {
    super(problem.detail);
  }
}

/** No answer, or one that says a service is down: it will pass, and the page recovers by itself. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}

/** The API is there, and refused the request (4xx). */
export const isRefused = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.status < 500;

/** Returns whether the API found no such resource: it does not exist, or belongs to another user. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.status === 404;

/** Returns whether the resource was changed since the version that a change was made for. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.status === 412;

const DOWN = [502, 503, 504];

/**
 * Reads a refusal. An answer that is no problem document (an outage between us and the service) gets a message of
 * ours.
 */
export async function errorOf(response: Response): Promise<ProblemError | UnavailableError> {
  const problem = problemIn(await response.text());
  const requestId = response.headers.get('x-request-id');
  if (DOWN.includes(response.status)) {
    return new UnavailableError(problem?.detail ?? 'The service is not answering right now.');
  }
  const { status } = response;
  const detail = `The service answered with status ${status}, and did not say why.`;
  const retryAfter = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  return new ProblemError(
    problem ?? { status, code: 'unexplained', detail, ...(requestId && { request_id: requestId }) },
    Number.isNaN(retryAfter) ? undefined : retryAfter,
  );
}

function problemIn(text: string): Problem | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isProblem(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'code' in body && 'detail' in body;

/**
 * Returns the message for each field of a form; the message about a list's entry (`events.0`) belongs to the list.
 */
export function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ProblemError)) return {};
  const found: Record<string, string> = {};
  for (const { field, message } of error.problem.errors ?? []) {
    found[field.split('.', 1)[0] ?? field] ??= sentence(message);
  }
  return found;
}

/** Messages of the API read on from the field's name (`must be …`); beside a field they stand alone. */
const sentence = (message: string): string => {
  const upper = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
};
