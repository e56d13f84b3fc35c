import { AppError } from '@junction/errors';
import type { Provider } from '../domain/connection/events.js';
import type { CodeExchange, Grant, Needs, OAuthProvider, SpentAuthorization } from './needs.js';
import { ProviderError } from './provider-error.js';
import { providerOf } from './provider-of.js';
import { codeRefusal, toAppError } from './provider-refusal.js';
import { giveUp } from './revoke.js';
import type { TokenRequests } from './token-requests.js';

export interface CodeWish {
  readonly authCode: string;
  readonly state: string | undefined;
  /** RFC 9207: who the provider says it is. */
  readonly iss: string | undefined;
}

/** What a connect led to besides a connection. */
export interface ConnectOutcome {
  /** Another account was connected before. Its tokens are being revoked. */
  readonly accountChanged: boolean;
  /** Asked for and not granted, in our names. */
  readonly missingScopes: readonly string[];
  /** False: the provider gave no refresh token, so it ends with the access token. */
  readonly renewable: boolean;
}

/**
 * Exchanges a code for tokens and connects. The code goes to the provider once at most, and spends
 * the authorization it came from. Goes on when whoever sent the code has hung up, and a stop waits for it.
 * AppError `invalid_auth_code`, `invalid_state`, `invalid_issuer`, `provider_unavailable`, `stopping`.
 */
export const connect =
  (needs: Needs, requests: TokenRequests) =>
  async (userId: string, providerName: string, wish: CodeWish): Promise<ConnectOutcome> => {
    const { name, provider } = providerOf(needs.providers, providerName);
    // Asked first: while the provider is down nothing is used up.
    const issuer = await provider.issuer().catch(toAppError);
    if (wish.iss !== undefined && wish.iss !== issuer) throw invalidIssuer();

    requests.refuseWhenStopping();
    return requests.follow(spendCode(needs, { userId, name, provider }, wish));
  };

interface Asked {
  readonly userId: string;
  readonly name: Provider;
  readonly provider: OAuthProvider;
}

async function spendCode(needs: Needs, asked: Asked, wish: CodeWish): Promise<ConnectOutcome> {
  const { userId, name, provider } = asked;
  const { authCode: code, state } = wish;
  const spent = await needs.authorizations.spend({ userId, provider: name, code, state });
  const grant = await exchange(needs, asked, spent, code);

  const { separateGrants } = provider;
  const options = { separateGrants, at: needs.now() };
  try {
    const { accountChanged } = await needs.connections.connect(userId, name, grant, options);
    const { missingScopes } = grant.scopes;
    return { accountChanged, missingScopes, renewable: grant.refreshToken !== undefined };
  } catch (error) {
    await giveUp(needs, { userId, provider: name, accountId: grant.accountId }, grant);
    throw error;
  }
}

async function exchange(
  needs: Needs,
  { userId, name, provider }: Asked,
  spent: SpentAuthorization,
  code: string,
): Promise<Grant> {
  const { verifier, nonce, redirectUri } = spent;
  const request: CodeExchange = { code, verifier, nonce, redirectUri };
  try {
    return await provider.exchange(request);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    await giveUp(needs, { userId, provider: name }, error.salvaged);
    if (!error.sent) await needs.authorizations.restore(spent);
    throw codeRefusal(error, name);
  }
}

const invalidIssuer = (): AppError =>
  new AppError('invalid', 'invalid_issuer', 'The code comes from another provider.', {
    fields: [
      { field: 'iss', code: 'invalid_issuer', message: 'This is not the issuer of the provider.' },
    ],
  });
