import { type AttemptRecord, type Job, type Target, validSecrets } from './job.js';
import { requestHeaders } from './request-headers.js';

/** What goes to the receiver. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What was seen of a request. */
export type SendRecord = Omit<AttemptRecord, 'startedAt'>;

/** Signs a delivery as of now with every secret that is valid, and sends it. */
export const sendAttempt =
  (send: (request: WebhookRequest) => Promise<SendRecord>, now: () => Date) =>
  async ({ messageId, body }: Job, target: Target): Promise<AttemptRecord> => {
    const startedAt = now();
    const secrets = validSecrets(target.secrets, startedAt).map(({ text }) => text);
    const attempt = { body, secrets, messageId, timestamp: startedAt };
    const headers = requestHeaders(attempt, target.headers);
    const record = await send({ url: target.url, headers, body });
    return Object.assign(record, { startedAt });
  };
