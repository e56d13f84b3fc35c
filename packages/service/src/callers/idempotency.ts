import { AppError } from '@junction/errors';
import type { Request, RequestHandler, Response } from 'express';
import type { Pool } from 'pg';
import { callerOf, findClient, pathOf, requestIdOf } from '../http/caller.js';
import type { Logger } from '../process/logging/logger.js';
import { idempotencyId } from './fingerprint.js';
import {
  type Claim,
  type ComparedBody,
  idempotencyStore,
  type Sealing,
} from './idempotency-store.js';
import { recordAnswer, replayAnswer } from './recorded-answer.js';

export interface IdempotencyOptions {
  readonly pool: Pool;
  readonly sealing: Sealing;
  readonly log: Logger;
}

const PURGE_EVERY_MS = 60_000;
const RETRY_AFTER_S = 1;
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Makes a POST with an Idempotency-Key safe to repeat for 24 hours, for its caller and path. Stands behind
 * `authenticateUser` or `authenticateService`, and the body reader. A key comes with one body, as a JSON value:
 * another is 422.
 */
export function idempotency({ pool, sealing, log }: IdempotencyOptions): RequestHandler {
  const store = idempotencyStore(pool, sealing);
  let purgeAtMs = 0;

  const purgeNowAndThen = () => {
    const nowMs = performance.now();
    if (nowMs < purgeAtMs) return;
    purgeAtMs = nowMs + PURGE_EVERY_MS;
    store
      .purge()
      .catch((error: unknown) => log.warn({ err: error }, 'purge of idempotency keys failed'));
  };

  return async (req, res, next) => {
    const key = keyOf(req);
    if (key === undefined) return next();

    const callerId = callerIdOf(res);
    const id = idempotencyId(callerId, req.method, pathOf(req), key);
    const claim = await store.claim(id, callerId, bodyOf(req));
    purgeNowAndThen();

    if (claim.kind === 'answered') return replayAnswer(claim.answer, res);
    if (claim.kind !== 'ours') throw refusal(claim);

    recordAnswer(res, async (answer) => {
      const kept = answer && store.answer(id, claim.owner, answer);
      await (kept ?? store.release(id, claim.owner)).catch((error: unknown) =>
        logLoss(error, log, res),
      );
    });
    next();
  };
}

/** Logs an answer that was not kept. The request has been executed, so its caller gets the answer all the same. */
const logLoss = (error: unknown, log: Logger, res: Response): void =>
  log.error({ err: error, request_id: requestIdOf(res) }, 'answer could not be kept for repeats');

/** Returns the user's id, or the client's behind a word by which it is no user's. */
function callerIdOf(res: Response): string {
  const clientId = findClient(res);
  return clientId === undefined ? callerOf(res).userId : `client/${clientId}`;
}

function keyOf(req: Request): string | undefined {
  const key = req.headers['idempotency-key'];
  if (req.method !== 'POST' || key === undefined) return undefined;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new AppError(
    'invalid_idempotency_key',
    'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.',
  );
}

/** Returns the part that a repeat must have in common: the query, and the body as we understood it. */
function bodyOf(req: Request): ComparedBody {
  const query = req.originalUrl.slice(pathOf(req).length);
  const compared = [query, req.body ?? null];
  return {
    ordered: Buffer.from(JSON.stringify(compared)),
    value: Buffer.from(JSON.stringify(compared, inOneOrder)),
  };
}

/** Puts the members of each object in one order (RFC 8259, section 4, gives them none). */
const inOneOrder = (_name: string, value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function refusal({ kind }: Exclude<Claim, { kind: 'ours' | 'answered' }>): AppError {
  if (kind === 'other_body') {
    return new AppError(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body. Use a new key for a new request.',
    );
  }
  return new AppError(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still being executed. Ask again in a moment.',
    { retryAfterS: RETRY_AFTER_S },
  );
}
