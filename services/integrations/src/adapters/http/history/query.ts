import { z } from 'zod';
import type { HistoryPosition } from '../../../application/history/history.js';

const ITEMS_DEFAULT = 50;
const ITEMS_MAX = 100;
const CURSOR = /^before ([1-9]\d{0,8}) ([1-9]\d{0,8})$/;

/**
 * Returns the position of the next page as a cursor. The cursor is opaque, so that it may mean something else one day.
 */
export const cursorOf = ({ version, credentialVersion }: HistoryPosition): string =>
  Buffer.from(`before ${version} ${credentialVersion}`).toString('base64url');

function positionOf(cursor: string): HistoryPosition | undefined {
  const found = CURSOR.exec(Buffer.from(cursor, 'base64url').toString());
  return found ? { version: Number(found[1]), credentialVersion: Number(found[2]) } : undefined;
}

const limit = `must be a whole number from 1 to ${ITEMS_MAX}.`;

export const historyQuery = z.strictObject({
  limit: z.coerce
    .number<string>({ error: limit })
    .int(limit)
    .min(1, limit)
    .max(ITEMS_MAX, limit)
    .default(ITEMS_DEFAULT),
  cursor: z
    .string()
    .transform(positionOf)
    .refine((position) => position !== undefined, 'must be the next_cursor of an earlier page.')
    .optional(),
});
