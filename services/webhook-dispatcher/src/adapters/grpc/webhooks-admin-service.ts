import {
  SERVICE_SCOPES,
  type WebhooksAdminServiceServer,
  WebhooksAdminServiceService,
} from '@junction/contracts';
import { type GrpcService, unary } from '@junction/service-kit/grpc';
import type { AdminOptions } from './admin-options.js';
import { changeMethods, readMethods } from './operator-methods.js';

type Methods = {
  readonly [Name in keyof typeof WebhooksAdminServiceService]: WebhooksAdminServiceServer[Name];
};

const { readOps: READ, writeOps: WRITE } = SERVICE_SCOPES;

const SCOPES = {
  rotateWebhookKeys: WRITE,
  getBacklog: READ,
  listFailingWebhooks: READ,
  listFailingUsers: READ,
  listCircuits: READ,
  probeCircuit: WRITE,
  listShards: READ,
} as const satisfies Record<keyof Methods, string>;

/**
 * Makes the WebhooksAdminService of proto/junction/webhooks/v1: the methods for operators that only webhook-dispatcher
 * has.
 */
export function webhooksAdminService(options: AdminOptions): GrpcService {
  const implementation: Methods = {
    ...keyMethods(options),
    ...readMethods(options),
    ...changeMethods(options),
  };
  return {
    definition: WebhooksAdminServiceService,
    implementation: { ...implementation },
    scopes: SCOPES,
  };
}

const keyMethods = ({
  rotate,
  journal,
  log,
}: AdminOptions): Pick<WebhooksAdminServiceServer, 'rotateWebhookKeys'> => ({
  rotateWebhookKeys: unary(log, async ({ compromised }, { caller }) =>
    journal.change(caller, 'RotateWebhookKeys', { compromised }, async () => {
      const { signsUntil: othersSignUntil, ...rotated } = await rotate({
        hasLeaked: compromised,
      });
      const { kid, publicKey, signsFrom } = rotated;
      return { answer: { kid, publicKey, signsFrom, othersSignUntil }, result: { kid } };
    }),
  ),
});
