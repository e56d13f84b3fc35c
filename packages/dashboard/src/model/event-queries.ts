import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { Answer, Schemas } from '../api/types.js';

/** ce_source of test events: no other event has it. */
const TEST_SOURCE = 'junction/test';

export type Event = Answer<'/api/events/{messageId}', 'get'>;

/** An event is known for seven days: after them this is a refusal. */
export const eventQuery = (messageId: string) =>
  queryOptions({
    queryKey: ['event', messageId],
    queryFn: ({ signal }) =>
      call('get', '/api/events/{messageId}', { params: { path: { messageId } }, signal }),
  });

const LATEST_MAX = 8;

/** The events that came last. The key begins as that of one event, so that the stream has it read again too. */
export const latestEventsQuery = queryOptions({
  queryKey: ['event', 'latest'],
  queryFn: ({ signal }) =>
    call('get', '/api/events', { params: { query: { limit: LATEST_MAX } }, signal }),
});

export const isTest = ({ source }: Pick<Event, 'source'>): boolean => source === TEST_SOURCE;

/** Reads the kinds of event, our own notices included. The kinds don't change while a page is open. */
export const eventTypesQuery = queryOptions({
  queryKey: ['event-types'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => call('get', '/api/webhooks/event-types', { signal }),
});

/** `3 events`, `at least 3 events`. */
export function eventsInWords({
  count,
  count_is_exact: isExact,
}: Pick<Schemas['ReplayPreview'], 'count' | 'count_is_exact'>): string {
  const words = `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'}`;
  return isExact ? words : `at least ${words}`;
}
