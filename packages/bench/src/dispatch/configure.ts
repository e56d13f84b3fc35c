import { randomUUID } from 'node:crypto';
import type { TokenIssuer } from '@junction/testing';
import type { ServiceProcess } from '../service-process.js';
import { askApi } from './api.js';

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
  const { status, text } = await askApi(base, issuer.userToken(webhook.userId), {
    path: '/api/webhooks/configure',
    body: {
      url: webhook.url,
      events: ['inbox.organized'],
      enabled: true,
      secret: `secret of ${randomUUID()}`,
    },
  });
  if (status !== 201) throw new Error(`configure answered ${status}: ${text}`);
}
