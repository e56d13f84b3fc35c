import { v5, v7 } from 'uuid';

/** wh webhook, dlv delivery, att attempt, con connection, ses session, key API key, cli client, op operation. */
export type IdPrefix = 'wh' | 'dlv' | 'att' | 'con' | 'ses' | 'key' | 'cli' | 'op';

/** RFC 9562, section 6.6: the URL namespace. Never change it: receivers know messages by these ids. */
const MESSAGE_NAMESPACE = '6ba7b811-9dad-11d1-80b4-00c04fd430c8';

/** A new id: the prefix, `_` and a UUIDv7 in lower case, which sorts by `now` (default: the clock). */
export const newId = (prefix: IdPrefix, now?: Date): string =>
  `${prefix}_${now === undefined ? v7() : v7({ msecs: now.getTime() })}`;

/**
 * The id of a message: the same for the same event, on whatever road and however often it comes.
 * Neither part may hold a line feed, so two different events never share a name.
 */
export const messageId = (source: string, id: string): string =>
  `msg_${v5(`${source}\n${id}`, MESSAGE_NAMESPACE)}`;
