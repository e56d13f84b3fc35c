import { eventually } from '@junction/testing';
import type { NewWebhook, World } from './world.js';

interface Attempt {
  readonly request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly note?: string;
  };
}

export const attemptsOf = (detail: Record<string, unknown>) => detail['attempts'] as Attempt[];

/** Returns the one delivery of a webhook in detail, once it has that status. */
export const settled = (
  { dispatcher: { call } }: World,
  { userId, webhookId }: NewWebhook,
  status: string,
) =>
  eventually(async () => {
    const filter = `webhook_id=${webhookId}&status=${status}&event_type=draft.created`;
    const list = await call(userId, 'GET', `/api/deliveries?${filter}`);
    const items = list.body['items'] as { readonly delivery_id: string }[];
    if (items.length !== 1) throw new Error(`${items.length} deliveries are ${status}.`);
    return (await call(userId, 'GET', `/api/deliveries/${items[0]?.delivery_id}`)).body;
  });

/** Reads the live tail of a webhook until it is closed. */
export async function listen(
  { dispatcher, issuer }: World,
  { userId, webhookId }: NewWebhook,
  lastEventId?: string,
) {
  const closing = new AbortController();
  const response = await fetch(`${dispatcher.url}/api/webhooks/stream?webhook_id=${webhookId}`, {
    headers: {
      authorization: `Bearer ${issuer.userToken(userId)}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: closing.signal,
  });
  let text = '';
  const reading = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk);
  };
  reading().catch(() => undefined);
  return { text: () => text, close: () => closing.abort() };
}
