import type { Event } from '@junction/eventsourcing';
import {
  type AuthChannelOptions,
  apiKeyOwner,
  authChannel,
  closeChannel,
  expectAuth,
  remoteKeys,
} from '@junction/service-kit/callers';
import type { Platform, PlatformConfig } from './platform.js';
import type { Callers } from './service.js';

/** How a service reaches auth. */
export interface CallersByAuthOptions extends PlatformConfig {
  readonly auth: AuthChannelOptions['auth'] & { readonly jwksUrl: string };
}

/** Callers as auth vouches for them: its keys, its API keys, and what its events say is revoked. */
export function callersByAuth<Config extends CallersByAuthOptions, E extends Event>({
  config,
  closing,
  health,
  revocations,
}: Platform<Config, E>): Callers {
  const keys = remoteKeys(config.auth.jwksUrl);
  const channel = closing.add('auth channel', authChannel(config), closeChannel);
  expectAuth(health, keys, channel);
  return { keys, apiKey: apiKeyOwner(channel), revoked: revocations.isRevoked };
}
