import { hash } from 'node:crypto';
import { v5, v7 } from 'uuid';

/**
 * Prefixes of ids: wh webhook, dlv delivery, att attempt, con connection, ses session, key API key, cli client, pky
 * passkey, ptl portal, op operation.
 */
export type IdPrefix = 'wh' | 'dlv' | 'att' | 'con' | 'ses' | 'key' | 'cli' | 'pky' | 'ptl' | 'op';

/** RFC 9562, section 6.6: the URL namespace. Never change it: receivers know messages by these ids. */
const MESSAGE_NAMESPACE = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** A new id: the prefix, `_` and a UUIDv7 in lower case, which sorts by `now` (default: the clock). */
export const newId = (prefix: IdPrefix, now?: Date): string =>
  `${prefix}_${now === undefined ? v7() : v7({ msecs: now.getTime() })}`;

/**
 * The id of a message: the same for the same event, on whatever road and however often it comes. The same source and
 * id for another user is another event: a producer that numbers events by user loses none of them.
 * No part may hold a line feed, so two different events never share a name.
 *
 * @param userId a UUID in lower case, the subject of the event
 */
export function messageId(source: string, id: string, userId: string): string {
  const name = Buffer.from(`${source}\n${id}\n${userId}`);
  // UUIDv5 (RFC 9562, section 5.5). Made for each event, and `uuid` takes three times as long.
  const hex = hash('sha1', Buffer.concat([MESSAGE_NAMESPACE, name]), 'hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const groups = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `msg_${groups.join('-')}`;
}

/**
 * The user id of somebody whom another issuer knows as `subject`: UUIDv5 (RFC 9562, section 5.5) of the subject
 * in a namespace that is the UUIDv5 of the issuer's URL. Never change it: accounts are kept by it.
 */
export const foreignUserId = (issuer: string, subject: string): string =>
  v5(subject, v5(issuer, v5.URL));
