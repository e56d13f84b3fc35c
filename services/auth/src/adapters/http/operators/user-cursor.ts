import { z } from 'zod';

/** Where a list of users goes on: the time and the id of the last one. */
export const userCursor = z.string().transform((text, context) => {
  const [at = '', id] = Buffer.from(text, 'base64url').toString().split(' ');
  const createdAt = z.iso.datetime().safeParse(at);
  const userId = z.uuid().safeParse(id);
  if (createdAt.success && userId.success) return { created_at: new Date(at), id: userId.data };
  context.addIssue('must be the cursor of a page of this list');
  return z.NEVER;
});

export const userCursorOf = ({
  created_at,
  id,
}: {
  readonly created_at: Date;
  readonly id: string;
}): string => Buffer.from(`${created_at.toISOString()} ${id}`).toString('base64url');
