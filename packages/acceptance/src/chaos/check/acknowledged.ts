import { groupBy } from './group-by.js';
import type { Acknowledged, History, Stored, Violation } from './history.js';

type Written = Pick<History, 'asked' | 'acknowledged' | 'stored'>;

/** Acknowledged events are in the store at their versions, and nothing else was stored. */
export function* checkAcknowledged({ asked, acknowledged, stored }: Written): Iterable<Violation> {
  const byId = groupBy(stored, ({ eventId }) => eventId);
  yield* acknowledged.flatMap((answer) => [...lost(answer, byId)]);

  const answers = groupBy(acknowledged, ({ request }) => request);
  for (const { request, commandId } of asked) {
    if (!answers.has(request)) {
      yield {
        promise: 'every request is acknowledged in the end',
        found: `${request} (command ${commandId}) was asked for and never acknowledged.`,
      };
    }
  }
  yield* answersThatDiffer(answers);
  yield* storedTwice(stored);

  const wanted = new Set(asked.flatMap(({ events }) => events.map(({ eventId }) => eventId)));
  for (const event of stored) {
    if (wanted.has(event.eventId)) continue;
    yield { promise: 'nothing is stored that nobody asked for', found: `${inWords(event)}.` };
  }
}

function* lost(
  { request, events }: Acknowledged,
  byId: ReadonlyMap<string, readonly Stored[]>,
): Iterable<Violation> {
  for (const { eventId, streamId, version } of events) {
    const found = byId.get(eventId) ?? [];
    const [only] = found;
    const isThere = found.length === 1 && only?.streamId === streamId && only.version === version;
    if (isThere) continue;
    const instead = found.length === 0 ? 'it is not there' : found.map(inWords).join(', ');
    yield {
      promise: 'an acknowledged event is in the store, once, at its version',
      found: `Event ${eventId} of ${request} was acknowledged as ${streamId}@${version}; ${instead}.`,
    };
  }
}

function* answersThatDiffer(
  answers: ReadonlyMap<string, readonly Acknowledged[]>,
): Iterable<Violation> {
  for (const [request, given] of answers) {
    const different = new Set(given.map(({ events }) => JSON.stringify(events)));
    const firsts = given.filter(({ repeated }) => !repeated).length;
    if (different.size === 1 && firsts <= 1) continue;
    yield {
      promise: 'a command that is repeated is answered as the first time',
      found: `${request} was answered ${given.length} times, ${firsts} of them as new: ${[...different].join(' and ')}.`,
    };
  }
}

function* storedTwice(stored: readonly Stored[]): Iterable<Violation> {
  for (const events of groupBy(stored, ({ request, place }) => `${request} #${place}`).values()) {
    if (events.length === 1) continue;
    yield {
      promise: 'a request is stored once, however often it is repeated',
      found: `${events.map(inWords).join(' and ')}.`,
    };
  }
}

/** An event for the reader. */
export const inWords = ({ eventId, streamId, version, request }: Stored): string =>
  `${eventId} of ${request} at ${streamId}@${version}`;
