import { AppError } from '@junction/errors';
import type { Provider } from '../domain/connection/events.js';
import type {
  CodeExchange,
  CodePresented,
  ConsumedAuthorization,
  Grant,
  OAuthProvider,
  Ports,
} from './ports.js';
import { ProviderError } from './provider-error.js';
import { providerOf } from './provider-of.js';
import { codeRefusal, toAppError } from './provider-refusal.js';
import { revokeUnused } from './revoke-unused.js';
import { saveConnection } from './save-connection.js';
import type { TokenRequests } from './token-requests.js';

export interface CodeRequest {
  readonly authCode: string;
  readonly state: string | undefined;
  /** RFC 9207: who the provider says it is. */
  readonly iss: string | undefined;
  readonly onLimit: CodePresented['onLimit'];
}

/** What a connect led to besides a connection. */
export interface ConnectOutcome {
  /** Another account was connected before. Its tokens are being revoked. */
  readonly accountChanged: boolean;
  /** Asked for and not granted, in our names. */
  readonly missingScopes: readonly string[];
  /** Granted without being asked for, in the provider's names. */
  readonly unaskedScopes: readonly string[];
  /** False: the provider gave no refresh token, so it ends with the access token. */
  readonly renewable: boolean;
}

/**
 * Exchanges a code for tokens and connects. The code goes to the provider once at most, and uses
 * up the authorization it came from. Goes on when whoever sent the code has hung up, and a stop waits for it.
 * AppError `invalid_auth_code`, `invalid_state`, `invalid_issuer`, `disconnected`, `provider_unavailable`,
 * `stopping`.
 */
export const connect =
  (ports: Ports, requests: TokenRequests) =>
  async (userId: string, providerName: string, request: CodeRequest): Promise<ConnectOutcome> => {
    const { name, provider } = providerOf(ports.providers, providerName);
    // Asked first: while the provider is down nothing is used up.
    const issuer = await provider.issuer().catch(toAppError);
    if (request.iss !== undefined && request.iss !== issuer) throw invalidIssuer();

    requests.refuseWhenStopping();
    return requests.follow(exchangeAndSave(ports, { userId, name, provider }, request));
  };

interface Asked {
  readonly userId: string;
  readonly name: Provider;
  readonly provider: OAuthProvider;
}

async function exchangeAndSave(
  ports: Ports,
  asked: Asked,
  request: CodeRequest,
): Promise<ConnectOutcome> {
  const { userId, name, provider } = asked;
  const { authCode: code, state, onLimit } = request;
  const presented = { userId, provider: name, code, state, onLimit };
  const consumed = await ports.authorizations.consume(presented);
  const grant = await exchange(ports, asked, consumed, code);

  const { separateGrants } = provider;
  try {
    const connection = { userId, provider: name, grant, consumed, separateGrants };
    const { accountChanged } = await saveConnection(ports, connection);
    const { refreshToken, scopes, unaskedScopes } = grant;
    const { missingScopes } = scopes;
    return { accountChanged, missingScopes, unaskedScopes, renewable: refreshToken !== undefined };
  } catch (error) {
    await revokeUnused(ports, { userId, provider: name, accountId: grant.accountId }, grant);
    throw error;
  }
}

async function exchange(
  ports: Ports,
  { userId, name, provider }: Asked,
  consumed: ConsumedAuthorization,
  code: string,
): Promise<Grant> {
  const { verifier, nonce, redirectUri } = consumed;
  const exchanging: CodeExchange = { userId, code, verifier, nonce, redirectUri };
  try {
    return await provider.exchange(exchanging);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    await revokeUnused(ports, { userId, provider: name }, error.recovered);
    if (!error.sent) await ports.authorizations.release(consumed);
    throw codeRefusal(error, name);
  }
}

const invalidIssuer = (): AppError =>
  new AppError('invalid', 'invalid_issuer', 'The code comes from another provider.', {
    fields: [
      { field: 'iss', code: 'invalid_issuer', message: 'This is not the issuer of the provider.' },
    ],
  });
