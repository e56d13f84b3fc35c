import type { Logger } from '@junction/service-kit/process';
import type { AttemptRecord, Job, Target } from '../application/dispatch/job.js';
import { hostOf } from '../domain/webhook/href.js';

/** In one turn. What fails for many webhooks at once is in the metrics. */
const LINES_MAX = 60;
const REMEMBERED_MAX = 10_000;

export interface FailureLog {
  /** An attempt ended. */
  attempted(job: Job, target: Target, record: AttemptRecord): void;
  /** Begins the next turn: once a minute. */
  turn(): void;
}

/**
 * Says which attempts failed: in each turn the first of a webhook and a result, with how many of the same went
 * unsaid in the turn before. No more than 60 lines in a turn, whatever fails. Of the url a line has the host alone,
 * since paths and queries are used for secrets; and nothing of request and answer.
 */
export function failureLog(log: Pick<Logger, 'warn'>): FailureLog {
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
