import { describe, expect, it } from '@jest/globals';
import type { TokenOwner } from './ending/ports.js';
import type { OAuthProvider } from './oauth-provider.js';
import { revokeUnused } from './revoke-unused.js';

const OWNER: TokenOwner = { identityProvider: 'acme', provider: 'mailbox', userId: 'ada' };

describe('tokens that nobody keeps, and that cannot be queued', () => {
  it.each([
    ['are revoked at once where each consent stands by itself', true, ['rt']],
    ['are left to expire where others could end with them', false, []],
  ])('%s', async (_, separateGrants, revoked) => {
    const sent: string[] = [];
    const revoke: OAuthProvider['revoke'] = async ({ token }) => {
      sent.push(token);
      return 'revoked';
    };
    const ports = {
      providers: new Map([['acme/mailbox', { separateGrants, revoke }] as const]),
      revocations: { add: async () => Promise.reject(new Error('Postgres is away.')) },
      log: { warn() {}, error() {} },
    };
    await revokeUnused(ports, OWNER, { refreshToken: 'rt', accessToken: 'at' });
    expect(sent).toEqual(revoked);
  });
});
