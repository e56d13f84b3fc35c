import { AppError } from '@junction/errors';
import {
  findEvent,
  readStream,
  type StoredEvent,
  searchEvent,
  streamHead,
  streamHeads,
} from '@junction/eventsourcing/postgres';
import { poolUntil } from '@junction/service';
import { mount, pageOf, parse } from '@junction/service/http';
import type { Router } from 'express';
import { z } from 'zod';
import { actorOf } from './actor.js';
import type { Context } from './context.js';
import { event, eventView, fitting } from './event-view.js';
import { eventVersion, limit, moment, name, streamId, version } from './fields.js';
import { streamState } from './stream-state.js';

/** Longest search, shorter than a request may last. */
const SEARCH_MAX_MS = 20_000;
const LIMIT_MAX = 1_000;
const LIMIT_DEFAULT = 100;

const streamsQuery = z.strictObject({
  prefix: name.optional().describe('Beginning of the names; absent: all.'),
  cursor: name.optional(),
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT),
});
const eventsQuery = z.strictObject({
  cursor: version.default(0).describe('Version after which the page begins.'),
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT).describe('Fewer come when they are large.'),
});
const eventQuery = z.strictObject({
  stream_id: streamId.optional().describe('Stream of the event: without it, events are searched.'),
});
const stateQuery = z
  .strictObject({
    version: version.optional(),
    time: moment.optional().describe('Time up to which recorded events count.'),
  })
  .refine((asOf) => asOf.version === undefined || asOf.time === undefined, {
    message: 'Name a version or a time, and not both.',
  });
const ofStream = z.object({ stream_id: streamId });
const atVersion = z.object({ stream_id: streamId, version: eventVersion });
const withId = z.object({ event_id: z.uuid() });

/** Adds the routes that read streams. Personal fields are sealed in the store, and stay sealed here. */
export function addStreamRoutes(tools: Router, context: Context): void {
  addStreams(tools, context);
  addEventAtVersion(tools, context);
  addEventWithId(tools, context);
  addState(tools, context);
}

function addStreams(tools: Router, { path, pool, journal }: Context): void {
  mount(
    tools,
    {
      id: 'listServiceStreams',
      method: 'get',
      path: `${path}/streams`,
      summary: 'List the streams of a service, by their names',
      about: 'Each with the version of its newest event.',
      query: streamsQuery,
      answer: pageOf(
        z.object({ stream_id: z.string(), version: z.int() }).meta({ id: 'StreamHead' }),
      ),
    },
    async ({ res, query, signal }) => {
      const { prefix = '', cursor: after = '', limit } = query();
      await journal.read(actorOf(res), 'ListStreams', { prefix, after, limit });
      const found = await streamHeads(poolUntil(pool, signal), { prefix, after, limit: limit + 1 });
      const streams = found.slice(0, limit);
      const last = found.length > limit ? streams.at(-1) : undefined;
      return {
        items: streams.map(({ streamId, version }) => ({ stream_id: streamId, version })),
        next_cursor: last?.streamId ?? null,
      };
    },
  );

  mount(
    tools,
    {
      id: 'listServiceStreamEvents',
      method: 'get',
      path: `${path}/streams/:stream_id/events`,
      summary: 'List the events of a stream of a service',
      about: 'In the order of their versions. Sealed members read `[sealed]`.',
      query: eventsQuery,
      answer: pageOf(event),
      problems: ['stream_not_found'],
    },
    async ({ req, res, query, signal }) => {
      const { stream_id: streamId } = parse(ofStream, req.params);
      const { cursor: afterVersion, limit } = query();
      await journal.read(actorOf(res), 'ListStreamEvents', { streamId, afterVersion, limit });
      const { version: head } = await existing(poolUntil(pool, signal), streamId);
      const stored = await readStream(poolUntil(pool, signal), streamId, afterVersion, limit);
      const items = fitting(stored.map(eventView));
      const { version: last = head } = items.at(-1) ?? {};
      return { items, next_cursor: last < head ? String(last) : null };
    },
  );
}

function addEventAtVersion(tools: Router, { path, pool, journal }: Context): void {
  mount(
    tools,
    {
      id: 'getServiceStreamEvent',
      isRetired: true,
      method: 'get',
      path: `${path}/streams/:stream_id/events/:version`,
      summary: 'Get an event of a service by its stream and version',
      about: 'Sealed members read `[sealed]`.',
      answer: event,
      problems: ['event_not_found'],
    },
    async ({ req, res, signal }) => {
      const { stream_id: streamId, version } = parse(atVersion, req.params);
      await journal.read(actorOf(res), 'GetEvent', { eventId: '', streamId, version });
      const [found] = await readStream(poolUntil(pool, signal), streamId, version - 1, 1);
      return viewOf(found);
    },
  );
}

function addEventWithId(tools: Router, { path, pool, journal }: Context): void {
  mount(
    tools,
    {
      id: 'getServiceEvent',
      method: 'get',
      path: `${path}/events/:event_id`,
      summary: 'Get an event of a service by its id',
      about:
        'Without its stream, events are looked at one by one, the newest first; on a large store the answer says how far the search came.',
      query: eventQuery,
      answer: event,
      problems: ['event_not_found', 'search_too_long'],
    },
    async ({ req, res, query, signal }) => {
      const { event_id: eventId } = parse(withId, req.params);
      const { stream_id: streamId } = query();
      const asked = { eventId, streamId: streamId ?? '', version: 0 };
      await journal.read(actorOf(res), 'GetEvent', asked);
      const db = poolUntil(pool, signal);
      return viewOf(
        streamId === undefined
          ? await search(db, eventId, signal)
          : await findEvent(db, eventId, streamId),
      );
    },
  );
}

function viewOf(found: StoredEvent | undefined) {
  if (found) return eventView(found);
  throw new AppError('event_not_found', 'There is no such event in this service.');
}

function addState(tools: Router, { path, journal, ...context }: Context): void {
  mount(
    tools,
    {
      id: 'getServiceStreamState',
      method: 'get',
      path: `${path}/streams/:stream_id/state`,
      summary: 'Get what the events of a stream of a service amount to',
      about: 'As it is, or as it was at a version or a time.',
      query: stateQuery,
      answer: z
        .object({
          version: z.int().describe('0: nothing had happened.'),
          recorded_at: z.iso.datetime().nullable().describe('null: at version 0.'),
          state: z.unknown(),
        })
        .meta({ id: 'StreamState' }),
      problems: ['stream_not_found', 'version_not_found', 'aggregate_unknown', 'event_unreadable'],
    },
    async ({ req, res, query, signal }) => {
      const { stream_id: streamId } = parse(ofStream, req.params);
      const { version, time } = query();
      const asOf = time?.toISOString() ?? version ?? 'now';
      await journal.read(actorOf(res), 'GetStreamState', { streamId, asOf });
      const pool = poolUntil(context.pool, signal);
      const { version: head } = await existing(pool, streamId);
      if (version !== undefined && version > head) throw noSuchVersion(streamId, head);
      const until = { ...(version !== undefined && { version }), ...(time && { time }) };
      const { recordedAt, ...found } = await streamState({ ...context, pool }, streamId, until);
      return { ...found, recorded_at: recordedAt?.toISOString() ?? null };
    },
  );
}

async function existing(pool: Context['pool'], streamId: string) {
  const head = await streamHead(pool, streamId);
  if (head) return head;
  const message = `There is no stream ${streamId} in this service.`;
  throw new AppError('stream_not_found', message);
}

const noSuchVersion = (streamId: string, head: number) =>
  new AppError('version_not_found', `${streamId} is at version ${head} only.`);

/** Searches for an event. A search that found nothing in time says how far it came, and what to ask instead. */
async function search(pool: Context['pool'], eventId: string, signal: AbortSignal) {
  const options = { withinMs: SEARCH_MAX_MS, signal };
  const found = await searchEvent(pool, eventId, options);
  if (found.isComplete) return found.event;
  const { since } = found;
  const looked = since ? `It is not among those since ${since.toISOString()}: ` : '';
  throw new AppError(
    'search_too_long',
    `${looked}there are too many events to look at each. Name its stream, and its version where you know it.`,
  );
}
