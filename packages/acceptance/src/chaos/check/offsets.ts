import { groupBy } from './group-by.js';
import type { History, OffsetMove, Violation } from './history.js';

/** A stored offset only grows: `consumers reset` alone may move it back, once the topic was made anew. */
export function* checkOffsets({ offsetMoves }: Pick<History, 'offsetMoves'>): Iterable<Violation> {
  for (const [place, moves] of groupBy(offsetMoves, placeOf)) {
    let before: OffsetMove | undefined;
    for (const move of moves) {
      const { from, to, isAnew, by } = move;
      const wasElsewhere = before !== undefined && before.to !== from;
      if ((to < from && !isAnew) || wasElsewhere) {
        const instead = wasElsewhere ? `; it was at ${before?.to}` : '';
        yield {
          promise: 'a stored offset never moves back',
          found: `${place} was moved from ${from} to ${to} by ${by}${instead}.`,
        };
      }
      before = move;
    }
  }
}

const placeOf = ({ consumer, topic, partition }: OffsetMove): string =>
  `${consumer}: ${topic}/${partition}`;
