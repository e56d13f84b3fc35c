import { addressingAsOf } from '../domain/webhook/as-of.js';
import type { WebhookEvent } from '../domain/webhook/events.js';
import type { WebhookRow } from '../projections/webhook-row.js';
import type { DeliveryDetail } from './delivery-log.js';
import { requestHeaders } from './dispatch/request-headers.js';

/** The request of one attempt. */
export interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** It was signed, with a secret that is not here any more: its signature is not among the headers. */
  readonly isSignatureLost: boolean;
}

export interface SentRequestsNeeds {
  readonly historyOf: (webhookId: string) => Promise<readonly WebhookEvent[]>;
  readonly secretOf: (webhook: WebhookRow) => Promise<string | undefined>;
}

/**
 * What the attempts of a delivery sent, in their order, put together again instead of stored with
 * each: the bytes and the time are filed, the url and the secret of that moment follow from the
 * webhook's events, and equal bytes, secret and time sign equally. An attempt that began in the moment
 * before a change had come through may have been sent as it was before.
 */
export async function sentRequests(
  { historyOf, secretOf }: SentRequestsNeeds,
  webhook: WebhookRow,
  { log, body, messageId }: DeliveryDetail,
): Promise<readonly SentRequest[]> {
  if (log.length === 0) return [];
  const [history, secret] = await Promise.all([
    historyOf(webhook.webhook_id),
    webhook.has_secret ? secretOf(webhook) : undefined,
  ]);

  return log.map(({ at }) => {
    const { url = webhook.url, secretVersion = 0 } = addressingAsOf(history, at) ?? {};
    const isSigned = secretVersion > 0;
    const isHere = secret !== undefined && secretVersion === webhook.secret_version;
    const canSign = isSigned && isHere && body !== undefined;
    return {
      url,
      headers: requestHeaders({
        body: body ?? Buffer.alloc(0),
        secrets: canSign ? [secret] : [],
        messageId,
        timestamp: at,
      }),
      isSignatureLost: isSigned && !canSign,
    };
  });
}
