import { AppError } from '@junction/errors';
import type { Position } from '@junction/eventsourcing/postgres';

const CURSOR = /^(\d{1,20})\.(\d{1,19})$/;
const BIGINT_MAX = 2n ** 63n - 1n;

/** Returns a position in the reading order as text: `<tx>.<position>`. */
export const cursorOf = ({ tx, position }: Position): string => `${tx}.${position}`;

/** Returns the position of a cursor. @throws AppError `cursor_invalid` when the text is no cursor of ours. */
export function positionOf(cursor: string): Position {
  const [, tx, position] = CURSOR.exec(cursor) ?? [];
  if (tx !== undefined && position !== undefined) {
    const place = { tx: BigInt(tx), position: BigInt(position) };
    if (place.tx <= BIGINT_MAX && place.position <= BIGINT_MAX) return place;
  }
  throw new AppError(
    'cursor_invalid',
    'This is no cursor: send one back as an event showed it, for instance 7512.4711.',
  );
}
