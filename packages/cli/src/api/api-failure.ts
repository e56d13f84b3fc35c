import { JunctionProblem, JunctionUnreachableError } from '@junction/client';
import { problems } from '@junction/errors';
import { EXIT, Failure } from '../failure.js';
import { isLate } from './transient.js';

/** Remedies for a user of the command, where the catalogue's own words are about requests. */
const REMEDIES: Readonly<Record<string, string>> = {
  unauthenticated: 'Log in: junction login',
  invalid_credentials: 'Try again, or set a new password on the sign-in page of the product.',
  session_required: 'Log in with address and password: junction login',
  invalid_token: 'Log in again: junction login',
  invalid_refresh_token: 'The session has ended. Log in again: junction login',
  webhook_not_found: 'junction webhooks list shows yours.',
  delivery_not_found: 'junction deliveries list shows what there is.',
  webhook_disabled: 'Correct the receiver, then: junction webhooks enable ID',
  event_not_found:
    'Events are kept for seven days. One that never came was refused, which operators see by: junction dlq list',
  replay_under_way: 'Wait until it has ended.',
};

/** Returns the error of a call in words for the person at the command line; any other error as it is. */
export function apiFailure(url: string, error: unknown): unknown {
  if (error instanceof JunctionProblem) {
    const exitCode = error.status === 400 ? EXIT.usage : EXIT.failed;
    return new Failure(refusalText(url, error), exitCode, { cause: error });
  }
  if (!(error instanceof JunctionUnreachableError)) return error;
  const text = `${url} cannot be reached. Is it running, and is this its address? --url or JUNCTION_URL names another.`;
  return new Failure(
    isLate(error) ? `${url} did not answer in time. Try again.` : text,
    undefined,
    {
      cause: error,
    },
  );
}

/** The answer in words: what happened, which fields, the code, and what to do. */
function refusalText(url: string, { code, status, detail, errors, requestId }: JunctionProblem) {
  if (code === 'unexplained') {
    return `${url} answered ${status}, and not as Junction does. Is this its address?`;
  }
  const named = errors.filter(({ message }) => !detail.includes(message));
  const remedy = REMEDIES[code] ?? catalogued(code);
  return [
    `${detail} (${code})`,
    ...named.map(({ field, message }) => `  ${field}: ${message}`),
    ...(remedy ? [remedy] : []),
    ...(status >= 500 && requestId ? [`Request ${requestId} is in the logs.`] : []),
  ].join('\n');
}

/** The catalogue's remedy, unless it is about requests. */
function catalogued(code: string): string | undefined {
  if (!Object.hasOwn(problems, code)) return undefined;
  const { remedy } = problems[code as keyof typeof problems];
  return /`([A-Z]+ \/|errors`)/.test(remedy) ? undefined : remedy;
}
