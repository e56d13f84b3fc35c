import { signatureHeaders, type ToSign } from '@junction/webhook-signing';

const USER_AGENT = 'Junction-Webhooks/1';

/** The headers of an attempt that are ours; equal for equal bytes, secrets, id and time. */
export const requestHeaders = (attempt: ToSign): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  'user-agent': USER_AGENT,
  ...signatureHeaders(attempt),
});
