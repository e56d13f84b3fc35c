import { signingKeys } from '@junction/webhook-signing';
import { addressingAsOf } from '../../domain/webhook/as-of.js';
import { type CustomHeaders, MASKED } from '../../domain/webhook/custom-headers.js';
import { DEFAULT_OPTIONS } from '../../domain/webhook/options.js';
import type { Ports } from '../ports.js';
import { attemptHeaders, standingHeaders } from '../request-headers.js';
import type { Webhook } from '../webhooks/ports.js';
import type { DeliveryDetail } from './ports.js';

/** Request of one attempt. */
export interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Whether the request was signed with a secret or a key that is no longer stored: its headers then lack the
   * signature.
   */
  readonly isSignatureLost: boolean;
}

/**
 * Returns the requests of a delivery's attempts, in their order. They are rebuilt instead of stored: the bytes and the
 * time are filed, the url and the secret of that moment follow from the webhook's events, and equal bytes, secret, key
 * and time sign equally. An attempt that started just before a change had reached its replica may have been sent as the
 * webhook was before.
 */
export async function sentRequests(
  { webhooks, webhookKeys }: Pick<Ports, 'webhooks' | 'webhookKeys'>,
  webhook: Webhook,
  { delivery, log, body, traceparent }: DeliveryDetail,
): Promise<readonly SentRequest[]> {
  if (log.length === 0) return [];
  const [history, secrets] = await Promise.all([
    webhooks.history(webhook.webhookId),
    webhook.hasSecret ? webhooks.secrets(webhook) : [],
  ]);
  const texts = new Map(secrets.map(({ version, text }) => [version, text]));

  return log.map(({ at }) => {
    const then = addressingAsOf(history, at);
    const { url = webhook.url, secretVersions = [], options = DEFAULT_OPTIONS } = then ?? {};
    const { headerNames, signature, traceContext } = options;
    const here = secretVersions.flatMap((version) => texts.get(version) ?? []);
    const privateKeys = signature === 'ed25519' ? webhookKeys.signing(at) : [];
    const isHere = here.length === secretVersions.length && privateKeys !== undefined;
    const canSign = body !== undefined && isHere;
    const attempt = {
      body: body ?? Buffer.alloc(0),
      keys: canSign ? here.map(signingKeys) : [],
      privateKeys: canSign ? privateKeys : [],
      messageId: delivery.message_id,
      timestamp: at,
    };
    const standing = standingHeaders(masked(headerNames));
    const trace = traceContext && traceparent !== null ? withoutSpan(traceparent) : undefined;
    return {
      url,
      headers: { ...standing, ...attemptHeaders(attempt, standing, trace) },
      isSignatureLost: (secretVersions.length > 0 || signature === 'ed25519') && !canSign,
    };
  });
}

/** Masks the span id: each attempt has a span of its own, which is not stored. */
const withoutSpan = (traceparent: string): string =>
  traceparent.replace(/-[0-9a-f]{16}-/, `-${MASKED}-`);

/** Masks the values of headers, which may be credentials and are never shown. */
const masked = (names: readonly string[]): CustomHeaders =>
  Object.fromEntries(names.map((name) => [name, MASKED]));
