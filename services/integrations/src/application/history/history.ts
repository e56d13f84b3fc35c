import { integrationNamed } from '../integration-named.js';
import type { Ports } from '../ports.js';
import { type HistoryItem, historyItem, refreshItem } from './history-item.js';

/**
 * Position at which a page of a history begins. Events and refreshes are each read by their own numbers, so that a page
 * never repeats or skips an item, whatever happens between two requests.
 */
export interface HistoryPosition {
  /** Version of the stream before which events are read. */
  readonly version: number;
  /** Version of the credentials before which refreshes are read. */
  readonly credentialVersion: number;
}

export interface HistoryRequest {
  /** Position at which the last page ended: its `next`. */
  readonly from?: HistoryPosition | undefined;
  readonly limit: number;
}

export interface HistoryPage {
  readonly items: readonly HistoryItem[];
  /** Position of the next page; undefined when nothing happened before these items. */
  readonly next?: HistoryPosition | undefined;
}

export type History = (
  userId: string,
  named: string,
  request: HistoryRequest,
) => Promise<HistoryPage>;

/** Position above any version. */
const NEWEST: HistoryPosition = { version: 999_999_999, credentialVersion: 999_999_999 };

/** Returns a page of what happened to a connection, newest first: its events, with its refreshes among them by time. */
export const history =
  ({ connections, history }: Pick<Ports, 'connections' | 'history'>): History =>
  async (userId, named, { from = NEWEST, limit }) => {
    const { connection } = await integrationNamed(connections, userId, named);
    if (connection === undefined) return { items: [] };

    const { connectionId: id } = connection;
    // An item beyond the page tells whether there is another page.
    const [events, refreshes] = await Promise.all([
      history.events(id, { before: from.version, limit: limit + 1 }),
      history.refreshes(id, { before: from.credentialVersion, limit: limit + 1 }),
    ]);
    return pageOf(
      events.map(({ version, event, actor }) => ({ version, item: historyItem(event, actor) })),
      refreshes.map((refresh) => ({
        credentialVersion: refresh.credentialVersion,
        item: refreshItem(refresh),
      })),
      { from, limit },
    );
  };

interface Numbered {
  readonly item: HistoryItem;
}

/**
 * Merges both lists into a page. Both are ordered, the newest first. At the same moment an event is newer: a refresh
 * led to it.
 */
export function pageOf(
  events: readonly (Numbered & { readonly version: number })[],
  refreshes: readonly (Numbered & { readonly credentialVersion: number })[],
  { from, limit }: { readonly from: HistoryPosition; readonly limit: number },
): HistoryPage {
  const items: HistoryItem[] = [];
  let next = from;
  let [eventsTaken, refreshesTaken] = [0, 0];
  while (items.length < limit) {
    const event = events[eventsTaken];
    const refresh = refreshes[refreshesTaken];
    if (event && (refresh === undefined || event.item.at >= refresh.item.at)) {
      items.push(event.item);
      next = { ...next, version: event.version };
      eventsTaken += 1;
    } else if (refresh) {
      items.push(refresh.item);
      next = { ...next, credentialVersion: refresh.credentialVersion };
      refreshesTaken += 1;
    } else break;
  }
  const isMore = eventsTaken < events.length || refreshesTaken < refreshes.length;
  return { items, next: isMore ? next : undefined };
}
