import { hostOf } from '../../domain/webhook/href.js';
import type { AttemptRecord, Job, Target } from '../job.js';
import type { DispatchOptions } from './ports.js';

/** Lines in one turn. Failures of many webhooks at once are in the metrics. */
const LINES_MAX = 60;
const REMEMBERED_MAX = 10_000;

export interface FailureLog {
  /** Logs an attempt that ended, if it failed. */
  attempted(job: Job, target: Target, record: AttemptRecord): void;
  /** Starts the next turn: once a minute. */
  turn(): void;
}

/**
 * Logs failed attempts: in each turn the first for a webhook and a result, with how many of the same were suppressed in
 * the turn before, and no more than 60 lines. A line has the url's host alone, since paths and queries are used for
 * secrets, and nothing of request and answer.
 */
export function failureLog(log: { warn(fields: object, message: string): void }): FailureLog {
  let unsaid = new Map<string, number>();
  let unsaidBefore: ReadonlyMap<string, number> = new Map();
  let lines = 0;

  return {
    attempted(job, target, { outcome, result, httpStatus, totalMs }) {
      if (outcome.kind === 'succeeded') return;
      const { webhookId, deliveryId, messageId, userId, attempt } = job;
      const same = `${webhookId} ${result}`;
      const times = unsaid.get(same);
      if (times !== undefined || lines >= LINES_MAX) {
        const isKept = times !== undefined || unsaid.size < REMEMBERED_MAX;
        if (isKept) unsaid.set(same, (times ?? 0) + 1);
        return;
      }
      lines++;
      unsaid.set(same, 0);
      log.warn(
        {
          webhook_id: webhookId,
          delivery_id: deliveryId,
          message_id: messageId,
          user_id: userId,
          host: hostOf(target.url),
          attempt,
          result,
          status: httpStatus,
          duration_ms: Math.round(totalMs),
          suppressed: unsaidBefore.get(same) ?? 0,
        },
        'a delivery failed',
      );
    },

    turn() {
      unsaidBefore = unsaid;
      unsaid = new Map();
      lines = 0;
    },
  };
}

type Judge = DispatchOptions['judge'];

/** Returns a judge that logs failed attempts. */
export const logged =
  (judge: Judge, failures: FailureLog): Judge =>
  (ended) => {
    failures.attempted(ended.job, ended.target, ended.record);
    return judge(ended);
  };
