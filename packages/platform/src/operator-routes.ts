import type { Ops, Reads } from '@junction/ops';
import { callerOf, mount, pageOf } from '@junction/service-kit/http';
import { type Request, Router } from 'express';
import { z } from 'zod';
import { addOperatorChanges, type Of } from './operator-change-routes.js';
import * as views from './operator-views.js';

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

/**
 * Returns the routes by which operators see and change a service in a browser: its state, and never its users' data.
 */
export function operatorRoutes(
  name: string,
  { reads, changes }: Pick<Ops, 'reads' | 'changes'>,
): Router {
  const router = Router();
  const of = { name, path: `/api/ops/${name}`, id: idOf(name) };
  addState(router, of, reads);
  addLists(router, of, reads);
  addKeys(router, of, reads);
  addOperatorChanges(router, of, changes);
  return router;
}

/** Returns a service's name for the names of operations: `WebhookDispatcher` for `webhook-dispatcher`. */
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
      answer: z.object({ items: z.array(views.partition) }),
    },
    async ({ res }) => {
      const partitions = await reads.consumers(callerOf(res));
      return { items: partitions.map(views.partitionView) };
    },
  );

  mount(
    router,
    {
      id: `list${id}Projections`,
      method: 'get',
      path: `${path}/projections`,
      summary: `List the read models of ${name}`,
      answer: z.object({ items: z.array(views.projection) }),
    },
    async ({ res }) => {
      const projections = await reads.projections(callerOf(res));
      return { items: projections.map(views.projectionView) };
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
      answer: pageOf(views.letter),
      problems: ['cursor_invalid', 'consumes_nothing'],
    },
    async ({ req, res, query }) => {
      const { consumer = '', topic = '', reason = '', state = '' } = query();
      const filter = { consumer, topic, reason, userId: '' };
      const asked = { filter, state, ...askedPage(req) };
      const { items, next } = await reads.deadLetters(callerOf(res), asked);
      return { items: items.map(views.letterView), next_cursor: next ?? null };
    },
  );

  mount(
    router,
    {
      id: `list${id}Accesses`,
      method: 'get',
      path: `${path}/audit`,
      summary: `List what operators did to ${name}, and what was refused to whom`,
      query: accessesQuery,
      answer: pageOf(views.access),
      problems: ['cursor_invalid'],
    },
    async ({ req, res, query }) => {
      const { actor = '', since } = query();
      const { accesses, next } = await reads.accesses(callerOf(res), {
        actor,
        ...(since !== undefined && { since: new Date(since) }),
        ...askedPage(req),
      });
      return { items: accesses.map(views.accessView), next_cursor: next ?? null };
    },
  );
}

function addKeys(router: Router, { name, path, id }: Of, reads: Reads): void {
  mount(
    router,
    {
      id: `list${id}Keys`,
      method: 'get',
      path: `${path}/keys`,
      summary: `List the key ring of ${name}, and what each key has sealed`,
      about: 'Ids and counts, never a key.',
      answer: z.object({ items: z.array(views.ringKey) }),
    },
    async ({ res }) => {
      const keys = await reads.keys(callerOf(res));
      return { items: keys.map(views.keyView) };
    },
  );
}

const askedPage = ({ query: { cursor = '', limit = '0' } }: Request) => ({
  after: cursor,
  limit: Number(limit),
});
