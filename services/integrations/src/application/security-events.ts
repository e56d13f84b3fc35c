import { AppError } from '@junction/errors';
import type { Needs } from './needs.js';
import { providerOf } from './provider-of.js';

/**
 * Takes a security event token (RFC 8417) that a provider pushed: when this resolves, it is recorded
 * and has had its effect. One that came before has none. Throws SecurityEventRefusal for a token that
 * is not good; AppError `security_events_not_set_up`, `keys_unavailable`.
 */
export const receiveSecurityEvent =
  ({ providers, securityEvents, now }: Pick<Needs, 'providers' | 'securityEvents' | 'now'>) =>
  async (providerName: string, token: string): Promise<void> => {
    const { name, provider } = providerOf(providers, providerName);
    if (provider.securityEvent === undefined) throw notSetUp();
    await securityEvents.take(name, await provider.securityEvent(token), now());
  };

const notSetUp = (): AppError =>
  new AppError(
    'not_found',
    'security_events_not_set_up',
    'No security events are taken from this provider here.',
  );
