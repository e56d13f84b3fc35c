import type { Page } from './answers.js';
import type { Api, CallOptions } from './api.js';

const PAGE_MAX = 200;

/** The first `limit` items of a list, read page by page. */
export async function itemsOf<Item>(
  api: Api,
  path: string,
  { limit, ...filter }: NonNullable<CallOptions['query']> & { readonly limit: number },
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...filter, cursor, limit: Math.min(PAGE_MAX, limit - items.length) };
    const page = await api.call<Page<Item>>('GET', path, { query });
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && items.length < limit);
  return items;
}
