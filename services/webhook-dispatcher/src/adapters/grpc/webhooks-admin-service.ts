import { SERVICE_SCOPES, WebhooksAdminServiceService } from '@junction/contracts';
import type { Journal } from '@junction/ops';
import { type GrpcService, unary } from '@junction/service-kit/grpc';
import type { Logger } from '@junction/service-kit/process';
import type { rotateWebhookKeys } from '../../application/rotate-webhook-keys.js';

export interface AdminOptions {
  readonly rotate: ReturnType<typeof rotateWebhookKeys>;
  readonly journal: Journal;
  readonly log: Logger;
}

/** What operators do in webhook-dispatcher alone: WebhooksAdminService of proto/junction/webhooks/v1. */
export const webhooksAdminService = ({ rotate, journal, log }: AdminOptions): GrpcService => ({
  definition: WebhooksAdminServiceService,
  implementation: {
    rotateWebhookKeys: unary(log, async ({ compromised }, { caller }) =>
      journal.change(caller, 'RotateWebhookKeys', { compromised }, async () => {
        const { signsUntil: othersSignUntil, ...rotated } = await rotate({
          hasLeaked: compromised,
        });
        const { kid, publicKey, signsFrom } = rotated;
        return { answer: { kid, publicKey, signsFrom, othersSignUntil }, result: { kid } };
      }),
    ),
  },
  scopes: { rotateWebhookKeys: SERVICE_SCOPES.writeOps },
});
