import { createHash } from 'node:crypto';
import { AppError } from '@junction/errors';
import type { Request, Response } from 'express';

const HASH_CHARS = 12;

/** Matches an entity-tag of a list, with the commas after it: an opaque tag may hold commas of its own. */
const TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*(?:,[\t ,]*|$)/y;
const VERSION = /^(\d{1,9})(?:-[\w-]+)?$/;

/**
 * Tags an answer with a strong validator (RFC 9110, section 8.8.3): the version of the shown object, and a hash of what
 * is shown `beside` the version and changes without it. If-None-Match compares whole tags, so a GET misses no change;
 * If-Match compares the version alone, because a change could overwrite only that.
 */
export function setEntityTag(res: Response, version: number, beside: object = {}): Response {
  if (Object.keys(beside).length === 0) return res.set('etag', `"${version}"`);
  const hash = createHash('sha256').update(JSON.stringify(beside)).digest('base64url');
  return res.set('etag', `"${version}-${hash.slice(0, HASH_CHARS)}"`);
}

/**
 * Returns the versions that If-Match names (section 13.1.1); undefined: any. A weak tag, and a tag that is not ours,
 * name none. AppError `invalid_if_match`.
 */
export function ifMatchOf(req: Request): readonly number[] | undefined {
  const header = req
    .get('if-match')
    ?.trim()
    .replace(/^[\t ,]+/, '');
  if (header === undefined || header === '*') return undefined;
  if (header === '') throw invalidIfMatch();

  const versions: number[] = [];
  TAG.lastIndex = 0;
  while (TAG.lastIndex < header.length) {
    const tag = TAG.exec(header);
    if (tag === null) throw invalidIfMatch();
    const [, weak, opaque = ''] = tag;
    const version = VERSION.exec(opaque)?.[1];
    if (weak === undefined && version !== undefined) versions.push(Number(version));
  }
  return versions;
}

const invalidIfMatch = (): AppError =>
  new AppError(
    'invalid_if_match',
    'If-Match must be * or ETags as they came, with their quotation marks and commas between them.',
  );
