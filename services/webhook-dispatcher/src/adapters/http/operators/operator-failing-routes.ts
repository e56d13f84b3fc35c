import { actorOf, isTool } from '@junction/operations';
import type { OperatorRouters } from '@junction/service';
import { poolUntil } from '@junction/service';
import { mount } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { marksOfEach } from '../../postgres/marks.js';
import { deliveryBacklog } from '../../postgres/operators/backlog.js';
import {
  type FailingWebhook,
  failingUsers,
  failingWebhooks,
} from '../../postgres/operators/failing-reads.js';
import { marks } from '../schemas.js';
import { host, limit, limited, moment } from './operator-fields.js';
import type { OperatorRoutesOptions } from './operator-options.js';

/** Webhooks that people are shown. */
const SHOWN_MAX = 100;

const failingQuery = z.object({
  user_id: z.uuid().optional().describe('Only service accounts may filter by it.'),
  limit: limit.describe('Only service accounts may choose it.'),
});

const failing = z
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
          host,
          failing_since: moment,
          last_failed_at: moment,
          reason: z.string().describe('A code, of the last attempt.'),
          waiting: z.int().describe('Counted up to 10,000.'),
          probe_at: moment.nullable().describe('null: its circuit is closed.'),
          marks,
        }),
      )
      .describe(`Webhooks that have failed for longest, at most ${SHOWN_MAX} in a browser.`),
  })
  .meta({ id: 'FailingWebhooks' });

const users = z.object({
  items: z.array(
    z
      .object({
        user_id: z.uuid(),
        failing: z.int().describe('Webhooks whose last attempt failed.'),
        webhooks: z.int().describe('All that are not deleted.'),
        failing_since: moment.describe(
          'Start of the failures of the webhook that has failed for longest.',
        ),
      })
      .meta({ id: 'FailingUser' }),
  ),
});

/** Adds the routes that show which webhooks get nothing through, and whose they are. */
export function addFailing(
  { people, tools }: OperatorRouters,
  options: OperatorRoutesOptions,
): void {
  addWebhooks(people, options);
  addUsers(tools, options);
}

function addWebhooks(people: Router, { pool, journal }: OperatorRoutesOptions): void {
  mount(
    people,
    {
      id: 'listFailingWebhooks',
      method: 'get',
      path: '/api/ops/webhook-dispatcher/failing-webhooks',
      summary: 'List the webhooks of all users that get nothing through',
      about: 'Ids, numbers, codes and hosts: no path, no payload.',
      query: failingQuery,
      answer: failing,
    },
    async ({ res, query, signal }) => {
      const reads = poolUntil(pool, signal);
      const { limit, user_id: userId } = isTool(res)
        ? query()
        : { limit: SHOWN_MAX, user_id: undefined };
      const asked = { limit, userId: userId ?? '' };
      await journal.read(actorOf(res), 'ListFailingWebhooks', asked);
      const [backlog, failing] = await Promise.all([
        deliveryBacklog(reads),
        failingWebhooks(reads, { userId, limit }),
      ]);
      const ids = failing.map(({ webhookId }) => webhookId);
      const strips = await marksOfEach(reads, ids);
      return {
        totals: {
          failing: backlog.failing,
          resting: backlog.circuitsOpen + backlog.circuitsHalfOpen,
          pending: backlog.pending,
          retrying: backlog.retrying,
          due: backlog.due,
          oldest_due_s: backlog.oldestDueS,
        },
        items: failing.map((one) => ({ ...view(one), marks: strips.get(one.webhookId) ?? '' })),
      };
    },
  );
}

function addUsers(tools: Router, { pool, journal }: OperatorRoutesOptions): void {
  mount(
    tools,
    {
      id: 'listFailingUsers',
      method: 'get',
      path: '/api/ops/webhook-dispatcher/failing-users',
      summary: 'List users by how many of their webhooks fail, the most first',
      about: 'Ids and numbers alone.',
      query: limited,
      answer: users,
    },
    async ({ res, query, signal }) => {
      const asked = query();
      await journal.read(actorOf(res), 'ListFailingUsers', asked);
      const found = await failingUsers(poolUntil(pool, signal), asked);
      return {
        items: found.map(({ userId, failing, webhooks, failingSince }) => ({
          user_id: userId,
          failing,
          webhooks,
          failing_since: failingSince.toISOString(),
        })),
      };
    },
  );
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
