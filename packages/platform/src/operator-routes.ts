import type { Access, Reads } from '@junction/ops';
import { callerOf, jsonObject, mount, pageOf } from '@junction/service-kit/http';
import { type Request, Router } from 'express';
import { z } from 'zod';

type Partition = Awaited<ReturnType<Reads['consumers']>>[number];
type Projection = Awaited<ReturnType<Reads['projections']>>[number];
type DeadLetter = Awaited<ReturnType<Reads['deadLetters']>>['items'][number];

const partition = z
  .object({
    consumer: z.string(),
    topic: z.string(),
    partition: z.int(),
    state: z.string(),
    offset: z.int(),
    end: z.int().nullable(),
    lag: z.int().nullable(),
  })
  .meta({ id: 'ConsumedPartition' });

const projection = z
  .object({
    name: z.string(),
    version: z.int(),
    rebuild: z
      .object({ version: z.int(), status: z.string(), events_done: z.int() })
      .nullable()
      .describe('null: none is under way.'),
  })
  .meta({ id: 'Projection' });

const letter = z
  .object({
    id: z.uuid(),
    consumer: z.string(),
    topic: z.string(),
    partition: z.int(),
    offset: z.int(),
    reason: z.string(),
    state: z.string(),
    redrives: z.int(),
    recorded_at: z.iso.datetime(),
    set_aside_at: z.iso.datetime(),
    resolved_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'DeadLetter' });

const access = z
  .object({
    actor: z.object({ kind: z.enum(['user', 'service']), id: z.string() }),
    method: z.string(),
    arguments: jsonObject,
    at: z.iso.datetime(),
    outcome: z.string(),
  })
  .meta({ id: 'Access' });

const page = { cursor: z.string().optional(), limit: z.string().optional() };
const lettersQuery = z.object({
  consumer: z.string().optional(),
  topic: z.string().optional(),
  reason: z.string().optional(),
  state: z.string().optional(),
  ...page,
});
const accessesQuery = z.object({
  actor: z.string().optional(),
  since: z.string().optional().describe('A moment of RFC 3339.'),
  ...page,
});

/** What operators see of a service in a browser: how it is, and never what it holds. */
export function operatorRoutes(name: string, reads: Reads): Router {
  const router = Router();
  const of = { name, path: `/api/ops/${name}`, id: idOf(name) };
  addState(router, of, reads);
  addLists(router, of, reads);
  return router;
}

interface Of {
  readonly name: string;
  readonly path: string;
  readonly id: string;
}

/** `webhook-dispatcher` is `WebhookDispatcher` in the name of an operation. */
const idOf = (name: string): string =>
  name.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());

function addState(router: Router, { name, path, id }: Of, reads: Reads): void {
  mount(
    router,
    {
      id: `get${id}Health`,
      method: 'get',
      path: `${path}/health`,
      summary: `Ask how ${name} is`,
      answer: z.object({ ready: z.boolean(), failing: z.array(z.string()).readonly() }),
    },
    async ({ res }) => {
      const { ready, failing } = await reads.health(callerOf(res));
      return { ready, failing };
    },
  );

  mount(
    router,
    {
      id: `list${id}Consumers`,
      method: 'get',
      path: `${path}/consumers`,
      summary: `List what ${name} consumes, and how far it is behind`,
      answer: z.object({ items: z.array(partition) }),
    },
    async ({ res }) => {
      const partitions = await reads.consumers(callerOf(res));
      return { items: partitions.map(partitionView) };
    },
  );

  mount(
    router,
    {
      id: `list${id}Projections`,
      method: 'get',
      path: `${path}/projections`,
      summary: `List the read models of ${name}`,
      answer: z.object({ items: z.array(projection) }),
    },
    async ({ res }) => {
      const projections = await reads.projections(callerOf(res));
      return { items: projections.map(projectionView) };
    },
  );
}

function addLists(router: Router, { name, path, id }: Of, reads: Reads): void {
  mount(
    router,
    {
      id: `list${id}DeadLetters`,
      method: 'get',
      path: `${path}/dead-letters`,
      summary: `List the records that ${name} could not handle`,
      about: 'Without the record, its key, its user, and what people wrote about it.',
      query: lettersQuery,
      answer: pageOf(letter),
      problems: ['cursor_invalid', 'consumes_nothing'],
    },
    async ({ req, res, query }) => {
      const { consumer = '', topic = '', reason = '', state = '' } = query();
      const filter = { consumer, topic, reason, userId: '' };
      const asked = { filter, state, ...askedPage(req) };
      const { items, next } = await reads.deadLetters(callerOf(res), asked);
      return { items: items.map(letterView), next_cursor: next ?? null };
    },
  );

  mount(
    router,
    {
      id: `list${id}Accesses`,
      method: 'get',
      path: `${path}/audit`,
      summary: `List what operators did to ${name}`,
      query: accessesQuery,
      answer: pageOf(access),
      problems: ['cursor_invalid'],
    },
    async ({ req, res, query }) => {
      const { actor = '', since } = query();
      const { accesses, next } = await reads.accesses(callerOf(res), {
        actor,
        ...(since !== undefined && { since: new Date(since) }),
        ...askedPage(req),
      });
      return { items: accesses.map(accessView), next_cursor: next ?? null };
    },
  );
}

const askedPage = ({ query: { cursor = '', limit = '0' } }: Request) => ({
  after: cursor,
  limit: Number(limit),
});

const partitionView = ({ offset, end, lag, ...partition }: Partition) => ({
  consumer: partition.consumer,
  topic: partition.topic,
  partition: partition.partition,
  state: partition.state,
  offset: Number(offset),
  end: end === undefined ? null : Number(end),
  lag: lag === undefined ? null : Number(lag),
});

const projectionView = ({ name, version, rebuild }: Projection) => ({
  name,
  version,
  rebuild: rebuild
    ? { version: rebuild.version, status: rebuild.status, events_done: rebuild.eventsDone }
    : null,
});

/** Without the record, its key, its user, and what people wrote about it. */
const letterView = ({ id, reason, state, redrives, ...letter }: DeadLetter) => ({
  id,
  consumer: letter.consumer,
  topic: letter.topic,
  partition: letter.partition,
  offset: Number(letter.offset),
  reason: reason.code,
  state,
  redrives,
  recorded_at: letter.recordedAt.toISOString(),
  set_aside_at: letter.at.toISOString(),
  resolved_at: letter.resolvedAt?.toISOString() ?? null,
});

const accessView = ({ actorKind, actorId, method, arguments: facts, at, outcome }: Access) => ({
  actor: { kind: actorKind, id: actorId },
  method,
  arguments: facts,
  at: at.toISOString(),
  outcome,
});
