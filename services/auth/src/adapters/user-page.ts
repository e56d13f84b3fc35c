import { z } from 'zod';
import type { ListedUser } from '../application/operators/ports.js';

/** Where a list of users goes on: the time and the id of the last one. */
export const userCursor = z.string().transform((text, context) => {
  const [at = '', id] = Buffer.from(text, 'base64url').toString().split(' ');
  const createdAt = z.iso.datetime().safeParse(at);
  const userId = z.uuid().safeParse(id);
  if (createdAt.success && userId.success) return { createdAt: new Date(at), id: userId.data };
  context.addIssue('must be the cursor of a page of this list');
  return z.NEVER;
});

export const userCursorOf = ({ createdAt, id }: ListedUser): string =>
  Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url');

/** A page out of what was asked for one more than it holds. */
export function pageOf(found: readonly ListedUser[], limit: number) {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, next: last && userCursorOf(last) };
}
