import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';
import { clientFor } from '../provider-of.js';
import { toAppError } from '../provider-refusal.js';

const SECRET_BYTES = 32;
/** Bounds of the authorizations that wait for their code. */
const BOUNDS = { validForS: 600, keptMax: 20 } as const;

export interface AuthorizationRequest {
  /** Identity provider; absent: the first that serves the kind. */
  readonly identityProvider?: string | undefined;
  readonly returnTo?: string | undefined;
}

export interface AuthorizationStart {
  readonly authorizationUrl: string;
  readonly state: string;
}

/**
 * Starts a connection: returns the URL of the provider's consent page, and the state that comes back with the code. The
 * state is bound to this user, client, redirect URI and `returnTo`, for ten minutes and one use. AppError
 * `return_to_not_allowed`, `unknown_identity_provider`.
 */
export const authorize =
  ({ providers, authorizations, random, returnTo: allowed }: Ports) =>
  async (
    userId: string,
    kind: string,
    { identityProvider, returnTo }: AuthorizationRequest,
  ): Promise<AuthorizationStart> => {
    const { oauth } = clientFor(providers, kind, identityProvider);
    // The whole of it, character for character (RFC 9700, section 4.1.3).
    if (returnTo !== undefined && !allowed.has(returnTo)) throw notAllowed();
    const secret = () => random(SECRET_BYTES).toString('base64url');
    const request = { state: secret(), nonce: secret(), verifier: secret() };

    const authorizationUrl = await oauth.authorizationUrl({ ...request, userId }).catch(toAppError);
    const { client, redirectUri } = oauth;
    await authorizations.add({ ...request, ...client, userId, redirectUri, returnTo }, BOUNDS);
    return { authorizationUrl, state: request.state };
  };

function notAllowed(): AppError {
  const message =
    'Answers are not forwarded to this address. It must be, character for character, one that CONNECT_RETURN_TO of this installation names.';
  return new AppError('return_to_not_allowed', message, {
    fields: [{ field: 'return_to', code: 'return_to_not_allowed', message }],
  });
}
