import { crc32 } from 'node:zlib';
import { base62 } from './base62.js';

const SECRET_BYTES = 32;
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const SHAPE = /^jn_live_([0-9a-f]{32})_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/;
const KEY_ID = /^key_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * An API key as its owner sees it, once: `jn_live_<id>_<secret>_<crc>`. The id finds the row, the
 * secret (256 bits) proves the right, and the checksum tells a typing mistake, or a key found in
 * somebody's source, from noise without asking a database.
 */
export function apiKeyToken(keyId: string, random: (bytes: number) => Buffer): string {
  const stem = `${apiKeyPrefix(keyId)}_${base62(random(SECRET_BYTES), SECRET_DIGITS)}`;
  return `${stem}_${checksum(stem)}`;
}

/** The beginning of every key with this id, which is no secret. */
export const apiKeyPrefix = (keyId: string): string =>
  `jn_live_${keyId.slice('key_'.length).replaceAll('-', '')}`;

/** The id within a well-formed key, undefined for anything else. Says nothing about its being valid. */
export function keyIdOf(token: string): string | undefined {
  const id = SHAPE.exec(token)?.[1];
  if (id === undefined) return undefined;

  const end = token.lastIndexOf('_');
  if (checksum(token.slice(0, end)) !== token.slice(end + 1)) return undefined;

  const dashed = id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return `key_${dashed}`;
}

export const isKeyId = (text: string): boolean => KEY_ID.test(text);

function checksum(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return base62(bytes, CHECKSUM_DIGITS);
}
