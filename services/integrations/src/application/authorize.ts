import type { Needs } from './needs.js';
import { providerOf } from './provider-of.js';
import { toAppError } from './provider-refusal.js';

const SECRET_BYTES = 32;

export interface AuthorizationStart {
  readonly authorizationUrl: string;
  readonly state: string;
}

/**
 * Begins a connection: an URL of the provider's consent page, and the state that comes back with the
 * code. It is bound to this user, provider and redirect URI, for ten minutes and one use.
 */
export const authorize =
  ({ providers, authorizations, random }: Needs) =>
  async (userId: string, providerName: string): Promise<AuthorizationStart> => {
    const { name, provider } = providerOf(providers, providerName);
    const secret = () => random(SECRET_BYTES).toString('base64url');
    const request = { state: secret(), nonce: secret(), verifier: secret() };

    const authorizationUrl = await provider.authorizationUrl(request).catch(toAppError);
    const { redirectUri } = provider;
    await authorizations.add({ ...request, userId, provider: name, redirectUri });
    return { authorizationUrl, state: request.state };
  };
