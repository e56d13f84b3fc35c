import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../application/provider-error.js';
import { acceptedClient, refusedClient } from './accepted-client.js';

const refusedAs = (reason: string) => async (): Promise<never> => {
  throw new ProviderError({
    failure: 'misconfigured',
    reason,
    sent: true,
    httpStatus: 401,
    recovered: { accessToken: 'at' },
  });
};
const refused = refusedAs('invalid_client');

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

  it.each(['disabled_client', 'redirect_uri_mismatch', 'unsupported_grant_type'])(
    'speaks of the application when it says %s, whatever it gave a moment ago',
    async (reason) => {
      const watched = acceptedClient();
      await watched(async () => 'tokens');
      const failure = { failure: 'misconfigured', reason };
      await expect(watched(refusedAs(reason))).rejects.toMatchObject(failure);
    },
  );

  it('is told once an hour for each reason, whatever succeeds meanwhile', async () => {
    let nowMs = 0;
    const told: string[] = [];
    const watched = refusedClient(
      (reason) => told.push(reason),
      () => nowMs,
    );
    const hear = async (reason: string) => {
      await watched(async () => 'tokens');
      await expect(watched(refusedAs(reason))).rejects.toMatchObject({ reason });
    };
    for (const reason of ['org_internal', 'org_internal', 'disabled_client']) await hear(reason);
    nowMs = 3_599_999;
    await hear('org_internal');
    expect(told).toEqual(['org_internal', 'disabled_client']);
    nowMs = 3_600_000;
    await hear('org_internal');
    expect(told).toEqual(['org_internal', 'disabled_client', 'org_internal']);
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
