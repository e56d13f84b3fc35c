import { signatureHeaders, type ToSign } from '@junction/webhook-signing';
import type { CustomHeaders } from '../domain/webhook/custom-headers.js';

const USER_AGENT = 'Junction-Webhooks/1';

/** Names and values of headers. */
export type Headers = Readonly<Record<string, string>>;

/** Returns the headers that all requests to one version of a webhook have. */
export const standingHeaders = (custom: CustomHeaders = {}): Headers => ({
  ...custom,
  'content-type': 'application/json',
  'user-agent': USER_AGENT,
});

/**
 * Returns the headers of one attempt besides the standing ones: equal bytes, secrets, id and time give equal headers.
 * The receiver gets `traceparent`, unless the webhook has a header of that name itself.
 */
export function attemptHeaders(attempt: ToSign, standing: Headers, traceparent?: string): Headers {
  const headers = signatureHeaders(attempt);
  if (traceparent !== undefined && !hasHeader(standing, 'traceparent')) {
    headers['traceparent'] = traceparent;
  }
  return headers;
}

const hasHeader = (headers: Headers, name: string): boolean =>
  Object.keys(headers).some((each) => each.toLowerCase() === name);
