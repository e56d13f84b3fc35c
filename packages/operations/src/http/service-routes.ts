import { verifyStreams } from '@junction/eventsourcing/postgres';
import type { OperatorRouters } from '@junction/service';
import { poolUntil } from '@junction/service';
import { answerWithEvents, jsonObject, mount, pageOf } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { type Access, listAccesses } from './accesses.js';
import { actorOf, isTool } from './actor.js';
import type { Context } from './context.js';
import { positionOf } from './cursor.js';
import { name as fieldName, limit, moment } from './fields.js';

const ACCESSES_MAX = 200;
const LIMIT_DEFAULT = 100;

const accessesQuery = z.object({
  actor: fieldName.optional(),
  since: moment.optional().describe('A moment of RFC 3339.'),
  cursor: z.string().optional(),
  limit: limit(ACCESSES_MAX, LIMIT_DEFAULT),
});

const access = z
  .object({
    actor: z.object({ kind: z.enum(['user', 'service']), id: z.string() }),
    method: z.string(),
    arguments: jsonObject,
    at: z.iso.datetime(),
    outcome: z.string().describe('read, requested, completed, failed or refused'),
    code: z
      .string()
      .nullable()
      .describe('Code of the problem, for a call that failed or was refused.'),
    attempts: z
      .int()
      .describe(
        'Number of times that it was refused: repeats within an hour are counted together.',
      ),
    stream_id: z
      .string()
      .optional()
      .describe('Stream that has the record. Only service accounts are told.'),
  })
  .meta({ id: 'Access' });

const finding = z
  .object({
    check: z.string(),
    state: z.string().describe('ok, warning (it works for the time being) or problem'),
    found: z.string(),
    remedy: z.string().describe('Empty when all is well.'),
  })
  .meta({ id: 'Finding' });

/** Adds the routes for the state of the service itself, and for what operators looked at and changed. */
export function addServiceRoutes({ people, tools }: OperatorRouters, context: Context): void {
  addHealth(people, context);
  addAudit(people, context);
  addDoctor(tools, context);
  addVerification(tools, context);
}

/** Adds the only route that leaves no record: it answers while the database of the records is away. */
function addHealth(people: Router, { path, health }: Context): void {
  mount(
    people,
    {
      id: 'getServiceHealth',
      method: 'get',
      path: `${path}/health`,
      summary: 'Ask how a service is',
      about: 'The same checks as `/health/ready`; it leaves no record in the audit.',
      answer: z.object({ ready: z.boolean(), failing: z.array(z.string()).readonly() }),
    },
    async () => health.ready(),
  );
}

function addAudit(people: Router, { path, journal, pool }: Context): void {
  mount(
    people,
    {
      id: 'listServiceAccesses',
      method: 'get',
      path: `${path}/audit`,
      summary: 'List what operators did to a service, and what was refused to whom',
      about: 'The newest first. A look at the list is an entry of the next one.',
      query: accessesQuery,
      answer: pageOf(access),
      problems: ['cursor_invalid'],
    },
    async ({ res, query, signal }) => {
      const { actor, since, cursor, limit } = query();
      const after = cursor === undefined ? undefined : positionOf(cursor);
      const asked = { actor: actor ?? '', since: since?.toISOString() ?? '', limit };
      await journal.read(actorOf(res), 'ListAccesses', asked);
      const { accesses, next } = await listAccesses(poolUntil(pool, signal), {
        actor,
        since,
        after,
        limit,
      });
      const items = accesses.map((access) => ({
        ...accessView(access),
        ...(isTool(res) && { stream_id: access.streamId }),
      }));
      return { items, next_cursor: next ?? null };
    },
  );
}

function addDoctor(tools: Router, { path, journal, diagnose }: Context): void {
  mount(
    tools,
    {
      id: 'diagnoseService',
      method: 'get',
      path: `${path}/doctor`,
      summary: 'Look at all that a service needs',
      about: 'With connections of its own. It says what is not as it must be, and what to do.',
      answer: z.object({ findings: z.array(finding).readonly() }),
    },
    async ({ res }) => {
      await journal.read(actorOf(res), 'Diagnose', {});
      return { findings: await diagnose() };
    },
  );
}

function addVerification(tools: Router, { path, journal, maintenance }: Context): void {
  mount(
    tools,
    {
      id: 'verifyServiceStreams',
      method: 'get',
      path: `${path}/verification`,
      summary: 'Read every event of a service, and say which streams are not as they must be',
      about:
        'Server-sent events: comments while it reads, and then a message `verdict` with `streams`, `events` and at most 100 `problems`, each with `stream_id`, `problem` and `detail`.',
      answerType: 'text/event-stream',
    },
    async ({ res, signal }) => {
      await journal.read(actorOf(res), 'VerifyStreams', {});
      await answerWithEvents(res, async (send) => {
        const { problems, ...counted } = await verifyStreams(poolUntil(maintenance, signal));
        const found = problems.map(({ streamId, ...found }) => ({ stream_id: streamId, ...found }));
        await send({ type: 'verdict', data: { ...counted, problems: found } });
      });
    },
  );
}

const accessView = ({ actorKind, actorId, arguments: facts, code, ...access }: Access) => ({
  actor: { kind: actorKind, id: actorId },
  method: access.method,
  arguments: facts,
  at: access.at.toISOString(),
  outcome: access.outcome,
  code: code ?? null,
  attempts: access.attempts,
});
