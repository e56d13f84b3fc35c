import {
  type DeliveryFilter,
  deliveryFilter,
  type ListView,
  listView,
} from '../deliveries/filter.js';

/** Tabs of a webhook's page beside its overview. */
export const TABS = { deliveries: 'Deliveries', settings: 'Settings' } as const;

export type Tab = keyof typeof TABS;

interface WebhookSearch extends DeliveryFilter, ListView {
  /** Absent: the overview. */
  readonly tab?: Tab | undefined;
}

/** Reads what a webhook's page shows from its address. A filter alone leads to the deliveries. */
export function webhookSearch(search: Readonly<Record<string, unknown>>): WebhookSearch {
  const { tab } = search;
  const shown = { ...deliveryFilter(search), ...listView(search) };
  if (typeof tab === 'string' && Object.hasOwn(TABS, tab)) return { tab: tab as Tab, ...shown };
  return Object.keys(shown).length > 0 ? { tab: 'deliveries', ...shown } : {};
}
