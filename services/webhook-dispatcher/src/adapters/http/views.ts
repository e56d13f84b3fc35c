import type { z } from 'zod';
import type { DeliveryPage } from '../../application/history/ports.js';
import type { ReadDelivery } from '../../application/history/read-deliveries.js';
import type { SentRequest } from '../../application/history/sent-requests.js';
import type { Page } from '../../application/page.js';
import type { Webhook } from '../../application/webhooks/ports.js';
import { headersOf } from '../webhook/response-headers.js';
import type * as answers from './answers.js';
import { failureWords } from './history/failure-words.js';
import { optionsView } from './webhooks/option-schemas.js';

/** A webhook as its owner sees it. The secret is never among it. */
export const webhookView = (webhook: Webhook): z.input<typeof answers.webhook> => ({
  webhook_id: webhook.webhookId,
  url: webhook.url,
  events: webhook.events,
  enabled: webhook.status !== 'disabled',
  has_secret: webhook.hasSecret,
  status: webhook.status,
  state: webhook.state,
  created_at: webhook.createdAt,
  updated_at: webhook.updatedAt,
  ...(webhook.disabledReason !== null && {
    disabled_reason: webhook.disabledReason,
    disabled_at: webhook.disabledAt,
  }),
  ...(webhook.isPausedByOperator && { paused_by: 'operator' as const }),
  ...healthView(webhook),
  ...optionsView(webhook),
});

/** Shows the parts of a webhook that change without a new version of it. */
export const healthView = (webhook: Webhook) => ({
  ...circuitView(webhook),
  ...failingView(webhook),
  ...previousSecretView(webhook),
});

/** Shows an open or half-open circuit. A closed circuit is left out, since its webhook works. */
function circuitView({ circuitOpenedAt: openedAt, circuitProbeAt: probeAt }: Webhook) {
  if (openedAt === null || probeAt === null) return {};
  const state: 'open' | 'half_open' = probeAt > new Date() ? 'open' : 'half_open';
  return { circuit: { state, opened_at: openedAt, probe_at: probeAt } };
}

/** Shows since when and why nothing arrives, until an attempt succeeds again. */
const failingView = ({ failingSince: since, failingReason: reason }: Webhook) =>
  since !== null && reason !== null
    ? { failing: { since, reason, detail: failureWords(reason) } }
    : {};

const previousSecretView = ({ previousSecretExpiresAt: expiresAt }: Webhook) =>
  expiresAt === null ? {} : { previous_secret_expires_at: expiresAt };

/** With what was sent and what came back. The body is text: it is JSON in UTF-8, byte for byte. */
export const deliveryDetailView = ({
  delivery: { delivery, body, log },
  requests,
}: ReadDelivery) => ({
  ...delivery,
  request_body: body?.toString() ?? null,
  attempts: log.map(({ responseHeaders, ...attempt }, index) => ({
    ...attempt,
    detail: failureWords(attempt.result),
    request: requests[index] && requestView(requests[index]),
    response_headers: responseHeaders ? headerViews(responseHeaders) : null,
  })),
});

const headerViews = (lines: Buffer) => headersOf(lines).map(([name, value]) => ({ name, value }));

const requestView = ({ url, headers, isSignatureLost }: SentRequest) => ({
  method: 'POST' as const,
  url,
  headers,
  ...(isSignatureLost && {
    note: 'The signature cannot be shown: the secret or the key it was made with is not here any more.',
  }),
});

/** A page that a budget has ended may be short, or empty: it says how far it has looked. */
export const deliveryPageView = ({ searchedBackTo, ...page }: DeliveryPage) => ({
  ...pageView(page, (delivery) => delivery),
  searched_back_to: searchedBackTo,
});

/** A cursor is the last id that was shown: it needs no secret, for every list is the caller's own. */
export const pageView = <T, View>({ items, nextAfter }: Page<T>, view: (item: T) => View) => ({
  items: items.map(view),
  next_cursor: nextAfter ?? null,
});
