import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newGrant, useAdapters } from '../../../test/on-postgres.js';
import { mailboxAt } from '../../../test/on-provider.js';
import type { OAuthProvider } from '../oauth-provider.js';
import { ProviderError } from '../provider-error.js';
import { tokenRequests } from '../token-requests.js';
import { connect } from './connect.js';

const adapters = useAdapters();

describe('a code whose exchange fails', () => {
  it.each([
    ['can be used again when the provider surely never saw it', false, 'connected'],
    ['is used up when the provider may have seen it', true, 'invalid_auth_code'],
  ])('%s', async (_, sent, second) => {
    const { send } = await begun();
    const failed = failing({ failure: 'unavailable', reason: 'timeout', sent });
    await expect(send(failed)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringContaining(sent ? 'may have been used up' : 'not used up'),
    });
    const outcome = await send(async () => newGrant()).then(
      () => 'connected',
      ({ code }: { code: string }) => code,
    );
    expect(outcome).toBe(second);
  });

  it.each(['refused', 'rejected'] as const)(
    'is no good when the provider has %s it, and is not to be sent again',
    async (failure) => {
      const { send } = await begun();
      const failed = failing({ failure, reason: 'http_403', sent: true });
      await expect(send(failed)).rejects.toMatchObject({ code: 'invalid_auth_code' });
    },
  );

  it('tells operators when the provider does not accept our client', async () => {
    const { send, logged } = await begun();
    const failure = { failure: 'misconfigured', reason: 'invalid_client', sent: true } as const;
    await expect(send(failing(failure))).rejects.toMatchObject({ code: 'provider_unavailable' });
    expect(logged).toEqual([{ client: 'acme/mailbox', reason: 'invalid_client' }]);
  });
});

const failing =
  (failure: ConstructorParameters<typeof ProviderError>[0]): OAuthProvider['exchange'] =>
  async () =>
    Promise.reject(new ProviderError(failure));

/** Starts an authorization. `send` sends its code, always the same, which the provider exchanges in this way. */
async function begun() {
  const { authorizations, ports } = adapters();
  const oauth = { ...mailboxAt('https://acme.example'), isIssuer: async () => true };
  const { client, redirectUri } = oauth;
  const [userId, state, authCode] = [randomUUID(), randomUUID(), randomUUID()];
  const request = { state, nonce: 'n', verifier: 'v', redirectUri, returnTo: undefined };
  await authorizations.add({ ...request, ...client, userId }, { validForS: 600, keptMax: 20 });
  const logged: object[] = [];
  const log = { ...ports.log, error: (fields: object) => void logged.push(fields) };
  return {
    logged,
    async send(exchange: OAuthProvider['exchange']) {
      const providers = new Map([['acme/mailbox', { ...oauth, exchange }] as const]);
      const code = { authCode, state, identityProvider: undefined, iss: undefined };
      const sent = { ...code, onLimit: () => {} };
      return connect({ ...ports, log, providers }, tokenRequests())(userId, 'mailbox', sent);
    },
  };
}
