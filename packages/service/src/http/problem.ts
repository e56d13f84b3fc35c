import { AppError } from '@junction/errors';
import type { ErrorRequestHandler, Response } from 'express';
import { type Problem, toProblem } from '../errors/problem.js';
import { toAppError } from '../errors/to-app-error.js';
import type { Logger } from '../process/logging/logger.js';
import { pathOf, requestIdOf } from './caller.js';
import { clip } from './text-faults.js';

const problems = new WeakMap<Response, Problem>();

/** Returns the problem that a request was answered with; undefined when there is none so far. */
export const problemOf = (res: Response): Problem | undefined => problems.get(res);

/** Express recognises an error handler by its four parameters, so all four stay. */
export const problemHandler =
  (log: Logger): ErrorRequestHandler =>
  (thrown: unknown, req, res, _next) => {
    const error = isOfPath(thrown) ? malformedPath(req.path, thrown) : toAppError(thrown);
    const requestId = requestIdOf(res);
    if (error.kind === 'internal') {
      log.error({ err: error, request_id: requestId }, 'request failed');
    } else if (error.kind === 'unavailable') {
      log.warn({ err: error, request_id: requestId }, 'request could not be served');
    }
    if (res.headersSent) {
      // Cut off, half an answer is not taken for a whole one. Express would print the error besides.
      if (!res.writableEnded) res.destroy();
      return;
    }

    for (const [name, value] of Object.entries(headersOf(error))) res.setHeader(name, value);
    const problem = toProblem(error, pathOf(req), requestId);
    problems.set(res, problem);
    res
      .status(problem.status)
      .type('application/problem+json')
      .send(`${JSON.stringify(problem)}\n`);
  };

/** Express marks its own about a path parameter such as `%E0%A4%A`: any other is a mistake of ours. */
const isOfPath = (thrown: unknown): thrown is URIError =>
  thrown instanceof URIError && 'status' in thrown;

function malformedPath(path: string, cause: URIError): AppError {
  const segment = clip(path.split('/').find((one) => !isDecodable(one)) ?? path);
  const message = `${segment} is not the percent-encoding of a text in UTF-8.`;
  const fields = [{ field: 'path', code: 'malformed_path', message }];
  return new AppError('malformed_path', `The path cannot be read. ${message}`, { cause, fields });
}

function isDecodable(segment: string): boolean {
  try {
    decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}

const RETRY_AFTER_DEFAULT_S = 5;

function headersOf({ kind, code, retryAfterS, scope, maxAgeS }: AppError): Record<string, string> {
  if (kind === 'unauthenticated') {
    // RFC 6750 §3.1: no error code for a request that brought nothing to be wrong.
    const isNamed = code === 'invalid_token' || code === 'insufficient_user_authentication';
    const named = isNamed ? `, error="${code}"` : '';
    const since = maxAgeS === undefined ? '' : `, max_age="${maxAgeS}"`;
    return { 'www-authenticate': `Bearer realm="junction"${named}${since}` };
  }
  if (code === 'insufficient_scope') {
    const lacking = scope === undefined ? '' : `, scope="${scope}"`;
    return { 'www-authenticate': `Bearer realm="junction", error="${code}"${lacking}` };
  }
  if (retryAfterS !== undefined || kind === 'rate_limited' || kind === 'unavailable') {
    return { 'retry-after': String(Math.max(1, Math.ceil(retryAfterS ?? RETRY_AFTER_DEFAULT_S))) };
  }
  // The rest of the body would have to be read to reuse the connection. RFC 9110 §15.5.14 lets us close.
  return kind === 'too_large' ? { connection: 'close' } : {};
}
