import { signatureHeaders, type ToSign } from '@junction/webhook-signing';
import type { CustomHeaders } from '../../domain/webhook/custom-headers.js';

const USER_AGENT = 'Junction-Webhooks/1';

/** The headers of an attempt; equal for equal bytes, secrets, id, time and headers of the webhook. */
export const requestHeaders = (
  attempt: ToSign,
  custom: CustomHeaders = {},
): Readonly<Record<string, string>> => ({
  ...custom,
  'content-type': 'application/json',
  'user-agent': USER_AGENT,
  ...signatureHeaders(attempt),
});
