import { type Span, SpanKind, SpanStatusCode, startSpan, traceparentOf } from '@junction/telemetry';
import { type SigningKeys, signingKeys } from '@junction/webhook-signing';
import { type AttemptRecord, type Job, type Secret, type Target, validSecrets } from '../job.js';
import { requestHeaders } from '../request-headers.js';
import type { WebhookKeys } from './webhook-keys.js';

/** Request to the receiver. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Time in the request's headers, and in its signature. */
  readonly startedAt: Date;
}

/** Signs a delivery as of now with every valid secret, and with our keys if the webhook wants that; then sends it. */
export function sendAttempt(
  send: (request: WebhookRequest) => Promise<AttemptRecord>,
  now: () => Date,
  { signing }: Pick<WebhookKeys, 'signing'>,
): (job: Job, target: Target) => Promise<AttemptRecord> {
  const keysOf = rememberedKeys();
  return (job, target) => {
    const { messageId, body } = job;
    const startedAt = now();
    const span = attemptSpan(job, target);
    const keys = validSecrets(target.secrets, startedAt).map(keysOf);
    const privateKeys = target.signature === 'ed25519' ? signing(startedAt) : undefined;
    const attempt = { body, keys, privateKeys, messageId, timestamp: startedAt };
    const traceparent = target.traceContext ? traceparentOf(span) : undefined;
    const headers = requestHeaders(attempt, target.headers, traceparent);
    const sent = send({ url: target.url, headers, body, startedAt });
    if (span?.isRecording()) void sent.then((record) => endSpan(span, record));
    return sent;
  };
}

/**
 * Returns a function that makes the keys of a secret at the first request it signs, and forgets them with its target.
 */
function rememberedKeys(): (secret: Secret) => SigningKeys {
  const known = new WeakMap<Secret, SigningKeys>();
  return (secret) => {
    const keys = known.get(secret) ?? signingKeys(secret.text);
    known.set(secret, keys);
    return keys;
  };
}

/** Starts the span of an attempt in the trace of its event, also hours later; undefined: the event is in no trace. */
function attemptSpan(job: Job, { url }: Target): Span | undefined {
  const { traceparent, webhookId, deliveryId, messageId, attempt } = job;
  if (traceparent === undefined) return undefined;
  const span = startSpan('POST webhook', SpanKind.CLIENT, traceparent);
  if (!span.isRecording()) return span;
  return span.setAttributes({
    'http.request.method': 'POST',
    // The host alone, since the path of the url may be a secret.
    'server.address': new URL(url).hostname,
    'junction.webhook.id': webhookId,
    'junction.delivery.id': deliveryId,
    'junction.message.id': messageId,
    'junction.attempt': attempt,
  });
}

/** Ends the span with the outcome of the attempt. */
function endSpan(span: Span, { outcome, result, httpStatus }: AttemptRecord): void {
  span.setAttribute('junction.result', result);
  if (httpStatus !== null) span.setAttribute('http.response.status_code', httpStatus);
  if (outcome.kind !== 'succeeded') {
    span.setAttribute('error.type', result);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
