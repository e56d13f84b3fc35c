import { AppError } from '@junction/errors';
import type { Request, Response } from 'express';

const TAG = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;
const VERSION = /^\d{1,9}$/;

/**
 * Tags an answer with the version of what it shows, as a strong validator (RFC 9110, section 8.8.3): what its
 * owner can change is the same under the same tag. Answers are not stored (no-store), so nobody is
 * answered 304.
 */
export const setEntityTag = (res: Response, version: number): Response =>
  res.set('etag', `"${version}"`);

/**
 * The versions that If-Match names (section 13.1.1); undefined: any. A weak tag and one that is not ours name none.
 * AppError `invalid_if_match`.
 */
export function ifMatchOf(req: Request): readonly number[] | undefined {
  const header = req.get('if-match')?.trim();
  if (header === undefined || header === '*') return undefined;
  return header.split(',').flatMap((text) => {
    const tag = TAG.exec(text.trim());
    if (tag === null) throw invalidIfMatch();
    const [, weak, opaque = ''] = tag;
    return weak === undefined && VERSION.test(opaque) ? [Number(opaque)] : [];
  });
}

const invalidIfMatch = (): AppError =>
  new AppError(
    'invalid',
    'invalid_if_match',
    'If-Match must be * or ETags as they came, with their quotation marks and commas between them.',
  );
