import type { HistoryItem } from '../projections/history-item.js';
import type { Needs } from './needs.js';
import { providerNameOf } from './provider-of.js';

export interface HistoryRequest {
  /** Where the last page ended: its `nextBefore`. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface HistoryPage {
  readonly items: readonly HistoryItem[];
  /** Undefined: nothing happened before these. */
  readonly nextBefore?: number | undefined;
}

export type History = (
  userId: string,
  provider: string,
  request: HistoryRequest,
) => Promise<HistoryPage>;

/** What happened to a connection, newest first, read from the events themselves. */
export const history =
  ({ providers, connections }: Pick<Needs, 'providers' | 'connections'>): History =>
  async (userId, provider, { before, limit }) => {
    const row = await connections.find(userId, providerNameOf(providers, provider));
    if (row === undefined) return { items: [] };

    const found = await connections.history(row.connection_id, { before, limit });
    const oldest = found.at(-1)?.version ?? 1;
    return {
      items: found.map(({ item }) => item),
      // The first event of a stream has version 1, so there is no need to look for one more.
      nextBefore: oldest > 1 ? oldest : undefined,
    };
  };
