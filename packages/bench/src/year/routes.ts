import { randomUUID } from 'node:crypto';
import type { ApiRequest } from '../dispatch/api.js';
import { WEEK_MS, type Year } from './state.js';

/** Kind of which no event ever came. */
const NO_KIND = 'reminder.sent';

/** A page of deliveries, found by an index. */
export const PLAIN_PAGE: ApiRequest = { path: '/api/deliveries' };

/** The largest page of the webhook with most deliveries. */
export const heavyPage = ({ heavyWebhook }: Year): ApiRequest => ({
  path: `/api/deliveries?webhook_id=${heavyWebhook}&limit=200`,
});

/** Pages that find nothing, by what they look for. */
export const emptyPages = (): Readonly<Record<string, ApiRequest>> => {
  const of = (query: string) => ({ path: `/api/deliveries?${query}` });
  return {
    empty_http_status: of('http_status=418'),
    empty_sent_again: of('sent_again=true'),
    empty_message: of(`message_id=msg_${randomUUID()}`),
    empty_refused: of('status=refused,cancelled'),
    empty_kind: of(`kind=${NO_KIND}`),
    empty_events: EVENTS_OF_NO_KIND,
  };
};

/** The statistics of seven days of all webhooks of the caller, of another hour each time. */
export const statistics = (n: number): ApiRequest => {
  const from = new Date(Date.now() - WEEK_MS - n * 3_600_000).toISOString();
  return { path: `/api/webhooks/stats?step=1h&from=${from}` };
};

export const EVENTS_OF_NO_KIND: ApiRequest = { path: `/api/events?kind=${NO_KIND}` };

export const TEXT_SEARCH: ApiRequest = { path: '/api/deliveries?text=nothing-has-this-in-it' };

export const FILTER_PREVIEW: ApiRequest = {
  path: '/api/webhooks/filter-preview',
  body: { filter: { path: 'pad', equals: 'nothing-is-this' } },
};

export const STREAMS: readonly ApiRequest[] = [
  { path: '/api/webhooks/stream' },
  { path: '/api/events/stream' },
];

/** A replay of a week, begun or counted. */
export const replayOf = ({ heavyWebhook }: Year, confirm: boolean): ApiRequest => ({
  path: `/api/webhooks/${heavyWebhook}/replay`,
  body: {
    from: new Date(Date.now() - WEEK_MS).toISOString(),
    to: new Date().toISOString(),
    outcomes: confirm ? ['exhausted'] : ['exhausted', 'succeeded'],
    confirm,
  },
});

/** Pages that a user opens now and then. */
export const EVERYDAY: readonly ApiRequest[] = [
  { path: '/api/webhooks' },
  PLAIN_PAGE,
  { path: '/api/webhooks/stats' },
];
