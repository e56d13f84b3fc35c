import type { Event } from '@junction/eventsourcing';
import { type AuthClientOptions, authClient } from '../callers/index.js';
import type { Platform, PlatformConfig } from './platform.js';
import type { Callers } from './service.js';

/** Options by which a service reaches auth. */
export interface CallersByAuthOptions extends PlatformConfig, Pick<AuthClientOptions, 'auth'> {}

/** Callers as auth vouches for them: its keys, its API keys, and what its events say is revoked. */
export function callersByAuth<Config extends CallersByAuthOptions, E extends Event>({
  config,
  closing,
  health,
  revocations,
  watch,
}: Platform<Config, E>): Callers {
  const auth = closing.add('auth client', authClient(config), (client) => client.close());
  auth.expectIn(health);
  const { jwksUrl, tokenUrl } = config.auth;
  watch('auth', auth.ask, ['auth', ...[jwksUrl, tokenUrl].map((url) => new URL(url).host)]);
  const { keys, apiKeyOwner: apiKey, ensureUser } = auth;
  return { keys, apiKey, ensureUser, revoked: revocations.isRevoked };
}
