import type { WebhookEvent } from './events.js';

/** Where requests went and what they were signed with. */
export interface Addressing {
  readonly url: string;
  /** 0: no secret. */
  readonly secretVersion: number;
}

/**
 * How a webhook was addressed at that moment, from its history. Undefined for one that has none.
 * Whatever came before its first event is taken for what that event says.
 */
export function addressingAsOf(history: readonly WebhookEvent[], at: Date): Addressing | undefined {
  let then: Addressing | undefined;
  for (const { type, data } of history) {
    if (then !== undefined && new Date(data.at) > at) break;
    if (type === 'webhook.configured') {
      then = { url: data.url, secretVersion: data.secretVersion };
    } else if (type === 'webhook.updated' && then !== undefined) {
      const { url = then.url, hasSecret, secretVersion } = data;
      then = { url, secretVersion: hasSecret ? secretVersion : 0 };
    }
  }
  return then;
}
