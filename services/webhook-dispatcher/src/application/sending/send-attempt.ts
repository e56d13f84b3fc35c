import { type Span, SpanKind, SpanStatusCode, startSpan, traceparentOf } from '@junction/telemetry';
import { signingKeys } from '@junction/webhook-signing';
import { type AttemptRecord, type Job, type Secret, type Target, validSecrets } from '../job.js';
import { remembered } from '../remembered.js';
import { attemptHeaders, type Headers, standingHeaders } from '../request-headers.js';
import type { DriverPorts, OnEnded } from './ports.js';
import type { WebhookKeys } from './webhook-keys.js';

/** Destination of all requests to one version of a webhook: the same object for each of them. */
export interface Destination {
  readonly url: string;
  /** Headers that each of the requests has. */
  readonly headers: Headers;
}

/** Request to the receiver. */
export interface WebhookRequest {
  readonly to: Destination;
  /** Headers of this request alone. */
  readonly headers: Headers;
  readonly body: Buffer;
  /** Time in the request's headers, and in its signature. */
  readonly startedAt: Date;
}

/** Signs a delivery as of now with every valid secret, and with our keys if the webhook wants that; then sends it. */
export function sendAttempt(
  send: (request: WebhookRequest, ended: OnEnded) => void,
  now: () => Date,
  { signing }: Pick<WebhookKeys, 'signing'>,
): DriverPorts['send'] {
  const keysOf = remembered(({ text }: Secret) => signingKeys(text));
  const destinationOf = remembered(({ url, headers }: Target): Destination => {
    return { url, headers: standingHeaders(headers) };
  });

  return (job, target, ended) => {
    const { messageId, body } = job;
    const startedAt = now();
    const to = destinationOf(target);
    const span = attemptSpan(job, target);
    const keys = validSecrets(target.secrets, startedAt).map(keysOf);
    const privateKeys = target.signature === 'ed25519' ? signing(startedAt) : undefined;
    const attempt = { body, keys, privateKeys, messageId, timestamp: startedAt };
    const traceparent = target.traceContext ? traceparentOf(span) : undefined;
    const headers = attemptHeaders(attempt, to.headers, traceparent);
    send({ to, headers, body, startedAt }, span?.isRecording() ? endingSpan(span, ended) : ended);
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

/** Returns a function that ends the span with the record of the attempt, and passes the record on. */
const endingSpan =
  (span: Span, ended: OnEnded): OnEnded =>
  (record, error) => {
    if (record) endSpan(span, record);
    ended(record, error);
  };

function endSpan(span: Span, { outcome, result, httpStatus }: AttemptRecord): void {
  span.setAttribute('junction.result', result);
  if (httpStatus !== null) span.setAttribute('http.response.status_code', httpStatus);
  if (outcome.kind !== 'succeeded') {
    span.setAttribute('error.type', result);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
