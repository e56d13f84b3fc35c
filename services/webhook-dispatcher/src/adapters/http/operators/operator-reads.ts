import { isTool } from '@junction/operations';
import { type OperatorRouters, poolUntil, type Reading, readList } from '@junction/service';
import { mount } from '@junction/service/http';
import type { Router } from 'express';
import type pg from 'pg';
import { z } from 'zod';
import { one } from '../../one.js';
import { deliveryBacklog, waitingFields } from '../../postgres/operators/backlog-reads.js';
import { endedDeliveries, failingReasons } from '../../postgres/operators/ended-reads.js';
import {
  failingUsers,
  failingWebhooks,
  openCircuits,
} from '../../postgres/operators/failing-reads.js';
import { sendingPauses } from '../../postgres/operators/pause-reads.js';
import { shardOwners } from '../../postgres/operators/shard-reads.js';

export interface OperatorReading extends Required<Reading> {
  /** Pool for statements that may take long. */
  readonly maintenance: pg.Pool;
}

/** Number of items of a list that has one page. */
const limit = z.coerce.number().int().min(1).max(1_000).default(100);
const limited = {
  query: z.strictObject({ limit }),
  asks({ query }: { readonly query: () => { readonly limit: number } }) {
    const asked = query();
    return { values: asked, recorded: asked };
  },
  member: 'items',
};

/** Webhooks that people are shown. */
const SHOWN_MAX = 100;

function addFailingWebhooks(people: Router, { pool, record }: OperatorReading): void {
  mount(
    people,
    {
      id: 'listFailingWebhooks',
      method: 'get',
      path: '/api/ops/webhook-dispatcher/failing-webhooks',
      summary: 'List the webhooks of all users that get nothing through',
      about: 'Ids, numbers, codes and hosts: no path, no payload.',
      query: z.object({
        user_id: z.uuid().optional().describe('Only service accounts may filter by it.'),
        limit: limit.describe('Only service accounts may choose it.'),
      }),
      answer: z
        .object({
          totals: z.object({
            failing: z.int().describe('Webhooks whose last attempt failed.'),
            resting: z.int().describe('Webhooks whose circuit is open.'),
            ...waitingFields,
          }),
          items: z
            .array(failingWebhooks.item)
            .describe(`Webhooks that have failed for longest, at most ${SHOWN_MAX} in a browser.`),
        })
        .meta({ id: 'FailingWebhooks' }),
    },
    async ({ res, query, signal }) => {
      const db = poolUntil(pool, signal);
      const { limit, user_id = null } = isTool(res) ? query() : { limit: SHOWN_MAX };
      await record(res, 'ListFailingWebhooks', { limit, userId: user_id ?? '' });
      const [backlog, found] = await Promise.all([
        deliveryBacklog.rows(db, {}),
        failingWebhooks.rows(db, { user_id, limit }),
      ]);
      const {
        failing_webhooks: failing,
        open_circuits,
        half_open_circuits,
        ...totals
      } = one(backlog);
      const resting = open_circuits + half_open_circuits;
      return { totals: { failing, resting, ...totals }, items: found.map(failingWebhooks.show) };
    },
  );
}

/** Adds the reads of what waits to be sent, and of what fails. */
export function addReads({ people, tools }: OperatorRouters, reading: OperatorReading): void {
  addFailingWebhooks(people, reading);
  readList(tools, reading, {
    id: 'listFailingUsers',
    path: '/api/ops/webhook-dispatcher/failing-users',
    summary: 'List users by how many of their webhooks fail, the most first',
    about: 'Ids and numbers alone.',
    read: failingUsers,
    ...limited,
  });
  readList(people, reading, {
    id: 'listPauses',
    path: '/api/ops/webhook-dispatcher/pauses',
    summary: 'List the hosts and users that operators have paused, the latest first',
    about: 'Deliveries to them wait until an operator has them go on.',
    read: sendingPauses,
    ...limited,
  });
  addBacklog(tools, reading);
  readList(tools, reading, {
    id: 'listCircuits',
    path: '/api/ops/webhook-dispatcher/circuits',
    summary: 'List the open circuits, those first whose probe is due next',
    about: 'Ids, numbers and hosts: no path, no payload.',
    read: openCircuits,
    ...limited,
  });
}

const HOURS_MAX = 168;
const HOURS_DEFAULT = 24;

function addBacklog(tools: Router, { pool, maintenance, record }: OperatorReading): void {
  mount(
    tools,
    {
      id: 'getBacklog',
      method: 'get',
      path: '/api/ops/webhook-dispatcher/backlog',
      summary: 'Count what waits to be sent, and what ended without success',
      about: 'Numbers over all users. `hours` says how far back endings are counted.',
      query: z.strictObject({
        hours: z.coerce
          .number()
          .int()
          .min(1)
          .max(HOURS_MAX)
          .default(HOURS_DEFAULT)
          .describe('Number of hours that are counted, this one included.'),
      }),
      answer: z
        .object({
          ...deliveryBacklog.item.shape,
          ended: z
            .array(endedDeliveries.item)
            .readonly()
            .describe('Deliveries that ended without success, the most first, at most 50.'),
          reasons: z
            .array(failingReasons.item)
            .readonly()
            .describe('Webhooks that fail, by the outcome of their last attempt, at most 50.'),
        })
        .meta({ id: 'Backlog' }),
    },
    async ({ res, query, signal }) => {
      const asked = query();
      await record(res, 'GetBacklog', asked);
      const db = poolUntil(pool, signal);
      const [backlog, ended, reasons] = await Promise.all([
        deliveryBacklog.rows(db, {}),
        endedDeliveries.rows(poolUntil(maintenance, signal), asked),
        failingReasons.rows(db, {}),
      ]);
      return { ...one(backlog), ended, reasons };
    },
  );
}

/** Adds the route that shows which replica sends for which users. */
export function addShards(tools: Router, { pool, record }: OperatorReading): void {
  mount(
    tools,
    {
      id: 'listShards',
      method: 'get',
      path: '/api/ops/webhook-dispatcher/shards',
      summary: 'List the replicas that live or have shards, and the shards of each',
      about: 'A shard without a replica is free, and is taken by the next one that asks.',
      answer: shardOwners.item,
    },
    async ({ res, signal }) => {
      await record(res, 'ListShards', {});
      return one(await shardOwners.rows(poolUntil(pool, signal), {}));
    },
  );
}
