import { actorOf } from '@junction/operations';
import { poolUntil } from '@junction/service';
import { mount } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { deliveryBacklog } from '../../postgres/operators/backlog.js';
import { endedDeliveries, failingReasons } from '../../postgres/operators/ended-reads.js';
import type { OperatorRoutesOptions } from './operator-options.js';

const HOURS_MAX = 168;
const HOURS_DEFAULT = 24;

const query = z.strictObject({
  hours: z.coerce
    .number()
    .int()
    .min(1)
    .max(HOURS_MAX)
    .default(HOURS_DEFAULT)
    .describe('Number of hours that are counted, this one included.'),
});

const answer = z
  .object({
    pending: z.int().describe('Deliveries that wait for their first attempt.'),
    retrying: z.int().describe('Deliveries that wait for another one.'),
    due: z.int().describe('Deliveries that are held up by nothing but us.'),
    oldest_due_s: z.number().describe('Seconds since the oldest of those was due.'),
    failing_webhooks: z.int(),
    open_circuits: z.int(),
    half_open_circuits: z.int().describe('Their rest is over: the next request is a probe.'),
    ended: z
      .array(z.object({ status: z.string(), reason: z.string(), count: z.int() }))
      .readonly()
      .describe('Deliveries that ended without success, the most first, at most 50.'),
    reasons: z
      .array(z.object({ reason: z.string(), webhooks: z.int() }))
      .readonly()
      .describe('Webhooks that fail, by the outcome of their last attempt, at most 50.'),
  })
  .meta({ id: 'Backlog' });

/** Adds the route that counts what waits to be sent, and what ended in the last hours without success. */
export function addBacklog(
  tools: Router,
  { pool, maintenance, journal }: OperatorRoutesOptions,
): void {
  mount(
    tools,
    {
      id: 'getBacklog',
      method: 'get',
      path: '/api/ops/webhook-dispatcher/backlog',
      summary: 'Count what waits to be sent, and what ended without success',
      about: 'Numbers over all users. `hours` says how far back endings are counted.',
      query,
      answer,
    },
    async ({ res, query, signal }) => {
      const asked = query();
      await journal.read(actorOf(res), 'GetBacklog', asked);
      const reads = poolUntil(pool, signal);
      const [backlog, ended, reasons] = await Promise.all([
        deliveryBacklog(reads),
        endedDeliveries(poolUntil(maintenance, signal), asked),
        failingReasons(reads),
      ]);
      return {
        pending: backlog.pending,
        retrying: backlog.retrying,
        due: backlog.due,
        oldest_due_s: backlog.oldestDueS,
        failing_webhooks: backlog.failing,
        open_circuits: backlog.circuitsOpen,
        half_open_circuits: backlog.circuitsHalfOpen,
        ended,
        reasons,
      };
    },
  );
}
