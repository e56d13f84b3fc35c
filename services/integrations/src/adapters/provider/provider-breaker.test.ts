import { afterEach, describe, expect, it } from '@jest/globals';
import { ProviderError, type ProviderFailure } from '../../application/provider-error.js';
import { type ProviderBreaker, providerBreaker } from './provider-breaker.js';

const opened: ProviderBreaker[] = [];
afterEach(() => {
  for (const { stop } of opened.splice(0)) stop();
});

describe('the breaker of a provider', () => {
  it.each([
    ['is down', 'unavailable'],
    ['does not accept our client', 'misconfigured'],
  ] as const)('lets nobody wait for a provider that %s', async (_, failure) => {
    const { guard } = breaker();
    for (let n = 0; n < 20; n++) await guard(fail(failure)).catch(() => undefined);
    let asked = false;
    const next = guard(async () => {
      asked = true;
    });
    await expect(next).rejects.toMatchObject({ reason: 'circuit_open', sent: false });
    expect(asked).toBe(false);
  });

  it('does not open for the failures of one user, and does for those of many', async () => {
    const { guard } = breaker();
    const attempt = async (userId: string) =>
      guard(fail('unavailable'), userId).catch((error: ProviderError) => error.reason);
    for (let n = 0; n < 40; n++) expect(await attempt('one')).toBe('test');
    for (let n = 0; n < 20; n++) await attempt(`user ${n}`);
    expect(await attempt('one')).toBe('circuit_open');
  });

  it.each(['refused', 'rejected'] as const)(
    'does not mind a provider by which many grants are %s',
    async (failure) => {
      const { guard } = breaker();
      for (let n = 0; n < 40; n++) await guard(fail(failure), `con_${n}`).catch(() => undefined);
      await expect(guard(async () => 'an answer')).resolves.toBe('an answer');
    },
  );
});

function breaker(): ProviderBreaker {
  const made = providerBreaker('mailbox');
  opened.push(made);
  return made;
}

const fail = (failure: ProviderFailure) => async (): Promise<never> => {
  throw new ProviderError({ failure, reason: 'test', sent: true });
};
