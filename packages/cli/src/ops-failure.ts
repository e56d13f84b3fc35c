import { JunctionProblem, JunctionUnreachableError } from '@junction/client';
import { isLate } from './api/transient.js';
import { EXIT, Failure } from './failure.js';

/** Target of a call, for the text of its error. */
export interface Place {
  readonly service: string;
  readonly url: string;
}

/** Returns the error of a call to a service in words for its operator; any other error as it is. */
export function opsFailure({ service, url }: Place, error: unknown): unknown {
  const where = `${service} at ${url}`;
  if (error instanceof JunctionProblem) {
    const exitCode = error.status === 400 ? EXIT.usage : EXIT.failed;
    const answered = { service, where, words: error.detail };
    const text = STRANGE.includes(error.code)
      ? `${where} does not know this command. Is this its own HTTP port, and is it of the same version?`
      : (ANSWERED[error.status]?.(answered) ?? error.detail);
    return new Failure(`${text} (${error.code})`, exitCode, { cause: error });
  }
  if (!(error instanceof JunctionUnreachableError)) return error;
  const text = isLate(error)
    ? `${where} did not answer in time. Try again.`
    : `${where} cannot be reached. Is it running, and is this its own HTTP port?${reasonOf(error)}`;
  return new Failure(text, EXIT.failed, { cause: error });
}

/** Returns the code of the system or of TLS in an error's causes, in brackets: ECONNREFUSED, CERT_HAS_EXPIRED. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string'
    ? ` (${error.code})`
    : reasonOf(error.cause);
}

/** Codes for a path that nobody serves, and for answers of a server that is not ours. */
const STRANGE: readonly string[] = ['no_such_route', 'unexplained'];

interface Answered {
  readonly service: string;
  readonly where: string;
  readonly words: string;
}

const ANSWERED: Readonly<Record<number, (answered: Answered) => string>> = {
  401: ({ where }) => `${where} does not accept the token: is it of the same installation?`,
  403: ({ service, words }) => `${service} refuses: ${words} Grant it to this service account.`,
  500: ({ service }) => `${service} failed. Its log says why.`,
};
