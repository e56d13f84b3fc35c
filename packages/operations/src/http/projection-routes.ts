import type { Event } from '@junction/eventsourcing';
import {
  discardRebuild,
  listProjections,
  type ProjectionSet,
  type ProjectionState,
  rebuildProjection,
} from '@junction/eventsourcing/postgres';
import { type OperatorRouters, poolUntil } from '@junction/service';
import { mount, parse } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { actorOf } from './actor.js';
import { AS_EVENTS, answerLong } from './answer-long.js';
import type { Context } from './context.js';
import { shortName } from './fields.js';

const named = z.object({ name: shortName });

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

/** Adds the routes that list and rebuild read models. */
export function addProjectionRoutes<E extends Event>(
  { people, tools }: OperatorRouters,
  context: Context,
  set: ProjectionSet<E>,
): void {
  addList(people, context, set);
  addRebuild(people, context, set);
  addDiscard(tools, context, set);
}

function addList<E extends Event>(
  people: Router,
  { path, journal }: Context,
  set: ProjectionSet<E>,
): void {
  mount(
    people,
    {
      id: 'listServiceProjections',
      method: 'get',
      path: `${path}/projections`,
      summary: 'List the read models of a service',
      about: 'Each with its version, and how far a rebuild of it is.',
      answer: z.object({ items: z.array(projection) }),
    },
    async ({ res, signal }) => {
      await journal.read(actorOf(res), 'ListProjections', {});
      const pool = poolUntil(set.pool, signal);
      return { items: (await listProjections({ ...set, pool })).map(view) };
    },
  );
}

function addRebuild<E extends Event>(
  people: Router,
  context: Context,
  set: ProjectionSet<E>,
): void {
  const { path } = context;
  mount(
    people,
    {
      id: 'rebuildServiceProjection',
      method: 'post',
      path: `${path}/projections/:name/rebuild`,
      summary: 'Build a read model of a service anew, beside the one that answers',
      about: `A rebuild that was broken off goes on. The list of read models says how far it is; the request is answered as soon as it has begun. ${AS_EVENTS}`,
      status: 202,
      streams: true,
      problems: ['projection_not_found', 'rebuild_under_way', 'called_off'],
    },
    async ({ req, res }) => {
      const { name } = parse(named, req.params);
      const change = {
        method: 'RebuildProjection',
        asked: { name },
        work: (signal: AbortSignal) => rebuildProjection(set, name, { signal }),
        resultOf: (last?: { readonly eventsDone: number }) => ({
          eventsDone: last?.eventsDone ?? 0,
        }),
      };
      await answerLong(req, res, context, change, (progress) => ({
        version: progress.version,
        phase: progress.phase,
        events_done: progress.eventsDone,
        events_total: progress.eventsTotal,
        events_per_second: progress.eventsPerSecond,
        seconds_left: progress.secondsLeft ?? null,
      }));
    },
  );
}

function addDiscard<E extends Event>(
  tools: Router,
  { path, journal }: Context,
  set: ProjectionSet<E>,
): void {
  mount(
    tools,
    {
      id: 'discardServiceRebuild',
      method: 'delete',
      path: `${path}/projections/:name/rebuild`,
      summary: 'Throw away what a rebuild in a service that is not under way has filled',
      about: 'The read model that answers is not touched.',
      status: 204,
      problems: ['projection_not_found', 'rebuild_under_way', 'no_rebuild'],
    },
    async ({ req, res }) => {
      const { name } = parse(named, req.params);
      await journal.change(actorOf(res), 'DiscardRebuild', { name }, async () => {
        await discardRebuild(set, name);
        return { answer: undefined, result: {} };
      });
    },
  );
}

const view = ({ name, version, rebuild }: ProjectionState) => ({
  name,
  version,
  rebuild: rebuild
    ? { version: rebuild.version, status: rebuild.status, events_done: rebuild.eventsDone }
    : null,
});
