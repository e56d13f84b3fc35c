import type { Ports, Visitor } from '../ports.js';
import { authenticateClient, type ClientProof, claimedClientId } from './authenticate-client.js';
import { OAuthError } from './oauth-error.js';

export interface ServiceTokenRequest {
  readonly proof: ClientProof;
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
 * client_credentials (RFC 6749, section 4.4) for one service, by a secret or by private_key_jwt. OAuthError; AppError
 * `too_many_attempts`, as section 2.3.1 wants it for an endpoint that takes secrets.
 */
export const issueServiceToken =
  (ports: Ports) =>
  async (request: ServiceTokenRequest): Promise<ServiceToken> => {
    const { proof, audience, scopes: asked, visitor } = request;
    const { accessTokens, limits } = ports;
    const clientId = claimedClientId(ports, proof);
    const client = await limits.clientProof({ clientId, visitor }, async () =>
      authenticateClient(ports, clientId, proof),
    );
    if (!client) throw invalidClient(proof);

    const grant = client.grants.find((one) => one.audience === audience);
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

const invalidClient = ({ kind }: ClientProof): OAuthError =>
  new OAuthError(
    'invalid_client',
    kind === 'secret'
      ? 'The client id or the client secret is wrong.'
      : 'The client_assertion is not accepted: it must be signed with a key of the client, be for this issuer, ' +
          'name iss, sub, aud, exp (at most 5 minutes ahead) and a jti that was never used.',
  );
