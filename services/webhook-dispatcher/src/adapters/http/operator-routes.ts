import type { Journal } from '@junction/ops';
import { callerOf, mount } from '@junction/service-kit/http';
import { Router } from 'express';
import type pg from 'pg';
import { z } from 'zod';
import { type FailingWebhook, failingWebhooks } from '../postgres/operating/failing-reads.js';
import { deliveryBacklog } from '../postgres/sending/backlog.js';

const SHOWN_MAX = 100;

export interface OperatorRoutesOptions {
  readonly pool: pg.Pool;
  readonly journal: Journal;
}

const answer = z
  .object({
    totals: z.object({
      failing: z.int().describe('Webhooks whose last attempt failed.'),
      resting: z.int().describe('Webhooks whose circuit is open.'),
      pending: z.int().describe('Deliveries that wait for their first attempt.'),
      retrying: z.int().describe('Deliveries that wait for another one.'),
      due: z.int().describe('Deliveries that are held up by nothing but us.'),
      oldest_due_s: z.number().describe('Seconds since the oldest of those was due.'),
    }),
    items: z
      .array(
        z.object({
          webhook_id: z.string(),
          user_id: z.uuid(),
          status: z.string(),
          host: z.string().describe('Of its url.'),
          failing_since: z.iso.datetime(),
          last_failed_at: z.iso.datetime(),
          reason: z.string().describe('A code, of the last attempt.'),
          waiting: z.int().describe('Counted up to 10,000.'),
          probe_at: z.iso.datetime().nullable().describe('null: its circuit is closed.'),
        }),
      )
      .describe(`Those that have failed for longest, at most ${SHOWN_MAX}.`),
  })
  .meta({ id: 'FailingWebhooks' });

/** Makes the route that shows operators which webhooks get nothing through. Urls are reduced to their host. */
export function operatorRoutes({ pool, journal }: OperatorRoutesOptions): Router {
  const router = Router();
  mount(
    router,
    {
      id: 'listFailingWebhooks',
      method: 'get',
      path: '/api/ops/webhook-dispatcher/failing-webhooks',
      summary: 'List the webhooks of all users that get nothing through',
      about: 'Ids, numbers, codes and hosts: no path, no payload.',
      answer,
    },
    async ({ res }) => {
      await journal.read(callerOf(res), 'ListFailingWebhooks', { limit: SHOWN_MAX });
      const [backlog, failing] = await Promise.all([
        deliveryBacklog(pool),
        failingWebhooks(pool, { userId: undefined, limit: SHOWN_MAX }),
      ]);
      return {
        totals: {
          failing: backlog.failing,
          resting: backlog.circuitsOpen + backlog.circuitsHalfOpen,
          pending: backlog.pending,
          retrying: backlog.retrying,
          due: backlog.due,
          oldest_due_s: backlog.oldestDueS,
        },
        items: failing.map(view),
      };
    },
  );
  return router;
}

const view = ({ webhookId, userId, status, host, reason, waiting, ...at }: FailingWebhook) => ({
  webhook_id: webhookId,
  user_id: userId,
  status,
  host,
  failing_since: at.failingSince.toISOString(),
  last_failed_at: at.lastFailedAt.toISOString(),
  reason,
  waiting,
  probe_at: at.probeAt?.toISOString() ?? null,
});
