import { randomUUID } from 'node:crypto';
import type { SharedProduct } from '@junction/demo';
import { apiAt, type Call } from '@junction/demo';
import { startJunction } from './junction.js';

export const MINUTE = 60_000;

/** A command line begun, and one run to its end, as the operator of a product that is there. */
export function commandsOf(product: () => SharedProduct) {
  const begin = (line: string) => startJunction(product(), line.split(' '));
  return { begin, cli: async (line: string) => begin(line).ended };
}

/** The environment of somebody who asks without a checkout. */
export const asAccount = (
  { endpoints }: Pick<SharedProduct, 'endpoints'>,
  account: 'operator' | 'worker',
) => ({
  JUNCTION_ENV: 'development',
  JUNCTION_CLIENT_ID: endpoints[account].client_id,
  JUNCTION_CLIENT_SECRET: endpoints[account].client_secret,
  JUNCTION_TOKEN_URL: new URL('/oauth/token', endpoints.gateway).href,
  AUTH_GRPC_ADDRESS: endpoints.grpc.auth,
  INTEGRATIONS_GRPC_ADDRESS: endpoints.grpc.integrations,
  GRPC_PLAINTEXT: 'true',
});

/** A user with a paused webhook: two streams with events in them. */
export async function userWithWebhook({ endpoints }: Pick<SharedProduct, 'endpoints'>) {
  const address = `${randomUUID()}@example.com`;
  const json = { email: address, password: `pass ${randomUUID()}` };
  const api = apiAt(endpoints.gateway);
  const registered = await api('POST', '/api/auth/register', { json });
  const { id } = (registered.body as { user: { id: string } }).user;
  const login = await api('POST', '/api/auth/login', { json });
  const token = (login.body as { access_token: string }).access_token;
  const call: Call = (method, path, options) => api(method, path, { token, ...options });
  const url = `http://127.0.0.1:9/${randomUUID()}`;
  const configured = await call('POST', '/api/webhooks/configure', {
    json: { url, events: ['draft.created'], enabled: true },
  });
  const webhookId = (configured.body as { webhook_id: string }).webhook_id;
  await call('PATCH', `/api/webhooks/${webhookId}`, { json: { paused: true } });
  return { address, call, webhookId, user: `user-${id}`, webhook: `webhook-${webhookId}` };
}
