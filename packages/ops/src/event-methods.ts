import type { OpsServiceServer } from '@junction/contracts';
import { AppError } from '@junction/errors';
import {
  findEvent,
  readStream,
  searchEvent,
  streamHead,
  streamHeads,
} from '@junction/eventsourcing-postgres';
import { unary } from '@junction/service-kit/grpc';
import { parse } from '@junction/service-kit/http';
import { eventView, fitting } from './event-view.js';
import type { Methods } from './methods.js';
import { eventRequest, stateRequest, streamEventsRequest, streamsRequest } from './requests.js';
import { streamState } from './stream-state.js';

type EventMethods = Pick<
  OpsServiceServer,
  'listStreams' | 'listStreamEvents' | 'getEvent' | 'getStreamState'
>;

/** Longest search, shorter than a call may last. */
const SEARCH_MAX_MS = 20_000;

/** Implements the methods that read streams. */
export const eventMethods = ({ pool, codec, folds, journal, log }: Methods): EventMethods => ({
  listStreams: unary(log, async (request, { caller }) => {
    const { prefix = '', after = '', limit } = parse(streamsRequest, request);
    await journal.read(caller, 'ListStreams', { prefix, after, limit });
    const streams = await streamHeads(pool, { prefix, after, limit: limit + 1 });
    return { streams: streams.slice(0, limit), more: streams.length > limit };
  }),

  listStreamEvents: unary(log, async (request, { caller }) => {
    const { streamId, afterVersion, limit } = parse(streamEventsRequest, request);
    const asked = { streamId, afterVersion, limit };
    await journal.read(caller, 'ListStreamEvents', asked);
    const { version: head } = await existing(pool, streamId);
    const stored = await readStream(pool, streamId, afterVersion, limit);
    const events = fitting(stored.map(eventView));
    return { events, more: (events.at(-1)?.version ?? head) < head };
  }),

  getEvent: unary(log, async (request, { caller, signal }) => {
    const wanted = parse(eventRequest, request);
    const { eventId, streamId = '', version } = wanted;
    const asked = { eventId, streamId, version };
    await journal.read(caller, 'GetEvent', asked);
    const [event] =
      wanted.streamId !== undefined && version > 0
        ? await readStream(pool, wanted.streamId, version - 1, 1)
        : wanted.streamId !== undefined
          ? [await findEvent(pool, eventId, wanted.streamId)]
          : [await search(pool, eventId, signal)];
    if (event) return { event: eventView(event) };
    throw new AppError('event_not_found', 'There is no such event in this service.');
  }),

  getStreamState: unary(log, async (request, { caller }) => {
    const { streamId, asOf } = parse(stateRequest, request);
    const until = asOf && { [asOf.$case]: asOf.value };
    const asked = { streamId, asOf: asOf === undefined ? 'now' : describe(asOf.value) };
    await journal.read(caller, 'GetStreamState', asked);
    const { version: head } = await existing(pool, streamId);
    if (asOf?.$case === 'version' && asOf.value > head) throw noSuchVersion(streamId, head);
    const methods = { pool, codec, folds };
    const { version, recordedAt, state } = await streamState(methods, streamId, until ?? {});
    return { version, recordedAt, stateJson: JSON.stringify(state) };
  }),
});

const describe = (asOf: number | Date): string | number =>
  asOf instanceof Date ? asOf.toISOString() : asOf;

async function existing(pool: Methods['pool'], streamId: string) {
  const head = await streamHead(pool, streamId);
  if (head) return head;
  const message = `There is no stream ${streamId} in this service.`;
  throw new AppError('stream_not_found', message);
}

const noSuchVersion = (streamId: string, head: number) =>
  new AppError('version_not_found', `${streamId} is at version ${head} only.`);

/** Searches for an event. A search that found nothing in time says how far it came, and what to ask instead. */
async function search(pool: Methods['pool'], eventId: string, signal: AbortSignal) {
  const found = await searchEvent(pool, eventId, { withinMs: SEARCH_MAX_MS, signal });
  if (found.isComplete) return found.event;
  const { since } = found;
  const looked = since ? `It is not among those since ${since.toISOString()}: ` : '';
  throw new AppError(
    'search_too_long',
    `${looked}there are too many events to look at each. Name its stream, and its version where you know it.`,
  );
}
