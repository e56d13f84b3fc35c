import { signatureHeaders, type ToSign } from '@junction/webhook-signing';
import type { CustomHeaders } from '../domain/webhook/custom-headers.js';

const USER_AGENT = 'Junction-Webhooks/1';

/**
 * Returns the headers of an attempt: equal bytes, secrets, id, time and headers of the webhook give equal headers. The
 * receiver gets `traceparent`, unless the webhook has a header of that name itself.
 */
export const requestHeaders = (
  attempt: ToSign,
  custom: CustomHeaders = {},
  traceparent?: string,
): Readonly<Record<string, string>> => {
  const headers: Record<string, string> = {};
  if (traceparent !== undefined && !hasHeader(custom, 'traceparent')) {
    headers['traceparent'] = traceparent;
  }
  Object.assign(headers, custom);
  headers['content-type'] = 'application/json';
  headers['user-agent'] = USER_AGENT;
  return Object.assign(headers, signatureHeaders(attempt));
};

const hasHeader = (headers: CustomHeaders, name: string): boolean =>
  Object.keys(headers).some((each) => each.toLowerCase() === name);
