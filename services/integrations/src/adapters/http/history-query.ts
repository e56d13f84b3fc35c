import { z } from 'zod';

const ITEMS_DEFAULT = 50;
const ITEMS_MAX = 100;
const CURSOR = /^before ([1-9]\d{0,8})$/;

/** Where the next page begins. Opaque, so that it may mean something else one day. */
export const cursorOf = (before: number): string =>
  Buffer.from(`before ${before}`).toString('base64url');

const versionOf = (cursor: string): number =>
  Number(CURSOR.exec(Buffer.from(cursor, 'base64url').toString())?.[1]);

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
    .transform(versionOf)
    .refine((version) => !Number.isNaN(version), 'must be the next_cursor of an earlier page.')
    .optional(),
});
