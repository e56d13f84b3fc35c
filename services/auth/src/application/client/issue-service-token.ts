import type { Ports, Visitor } from '../ports.js';
import { OAuthError } from './oauth-error.js';

export interface ServiceTokenRequest {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string;
  /** Absent: every scope that the account has there. */
  readonly scopes?: readonly string[] | undefined;
  readonly visitor: Visitor;
}

export interface ServiceToken {
  readonly accessToken: string;
  readonly expiresInS: number;
  readonly scopes: readonly string[];
}

/**
 * client_credentials (RFC 6749, section 4.4) for one service. OAuthError; AppError `too_many_attempts`, as
 * section 2.3.1 wants it for an endpoint that takes secrets.
 */
export const issueServiceToken =
  ({ findServiceAccount, accessTokens, limits }: Ports) =>
  async (request: ServiceTokenRequest): Promise<ServiceToken> => {
    const { clientId, clientSecret, audience, scopes: asked, visitor } = request;
    const account = await limits.clientSecret({ clientId, visitor }, async () =>
      findServiceAccount(clientId, clientSecret),
    );
    if (!account) {
      throw new OAuthError('invalid_client', 'The client id or the client secret is wrong.');
    }

    const grant = account.grants.find((one) => one.audience === audience);
    if (!grant) {
      throw new OAuthError('invalid_target', 'This client has no access to the service it names.');
    }

    const scopes = asked ?? grant.scopes;
    if (scopes.length === 0 || !scopes.every((scope) => grant.scopes.includes(scope))) {
      throw new OAuthError('invalid_scope', `Allowed here: ${grant.scopes.join(' ')}.`);
    }

    const accessToken = await accessTokens.forService({ clientId, audience, scopes });
    return { accessToken, expiresInS: accessTokens.lifetimeS, scopes };
  };
