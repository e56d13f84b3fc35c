import { randomUUID } from 'node:crypto';
import type { TokenIssuer } from '@junction/testing';
import type { ServiceProcess } from '../service-process.js';

const CONFIGURE_AT_ONCE = 8;

/** A webhook to configure. */
export interface WebhookRequest {
  readonly userId: string;
  readonly url: string;
}

/** Configures webhooks, each with a secret of its own. Resolves when all are there. */
export async function configure(
  { url }: ServiceProcess,
  issuer: TokenIssuer,
  requests: readonly WebhookRequest[],
): Promise<void> {
  const left = [...requests];
  const work = async () => {
    for (let request = left.pop(); request; request = left.pop())
      await configureOne(url, issuer, request);
  };
  await Promise.all(Array.from({ length: CONFIGURE_AT_ONCE }, work));
}

async function configureOne(
  base: string,
  issuer: TokenIssuer,
  webhook: WebhookRequest,
): Promise<void> {
  const answer = await fetch(`${base}/api/webhooks/configure`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${issuer.userToken(webhook.userId)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      url: webhook.url,
      events: ['inbox.organized'],
      enabled: true,
      secret: `secret of ${randomUUID()}`,
    }),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`configure answered ${answer.status}: ${text}`);
}
