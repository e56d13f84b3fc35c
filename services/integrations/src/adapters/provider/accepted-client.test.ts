import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../application/provider-error.js';
import { acceptedClient } from './accepted-client.js';

const refused = async (): Promise<never> => {
  throw new ProviderError({
    failure: 'misconfigured',
    reason: 'invalid_client',
    sent: true,
    httpStatus: 401,
    recovered: { accessToken: 'at' },
  });
};

describe('a provider that does not accept our client', () => {
  it('speaks of one account for a minute after it gave somebody tokens', async () => {
    let nowMs = 0;
    const watched = acceptedClient(() => nowMs);
    await expect(watched(refused)).rejects.toMatchObject({ reason: 'invalid_client' });
    await expect(watched(async () => 'tokens')).resolves.toBe('tokens');

    nowMs = 59_999;
    await expect(watched(refused)).rejects.toMatchObject({
      failure: 'rejected',
      reason: 'account_not_allowed',
      sent: true,
      httpStatus: 401,
      recovered: { accessToken: 'at' },
    });
    nowMs = 60_000;
    await expect(watched(refused)).rejects.toMatchObject({ failure: 'misconfigured' });
  });

  it('is not mistaken for one that is away', async () => {
    const watched = acceptedClient();
    await watched(async () => 'tokens');
    const away = async () => {
      throw new ProviderError({ failure: 'unavailable', reason: 'timeout', sent: true });
    };
    await expect(watched(away)).rejects.toMatchObject({ failure: 'unavailable' });
  });
});
