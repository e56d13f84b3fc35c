import { AppError } from '@junction/errors';
import type { CodeExchange, Grant } from '../oauth-provider.js';
import type { Ports } from '../ports.js';
import { ProviderError } from '../provider-error.js';
import { type Configured, clientFor, kindNamed } from '../provider-of.js';
import { CLIENT_REFUSED, codeRefusal, toAppError } from '../provider-refusal.js';
import { revokeUnused } from '../revoke-unused.js';
import type { TokenRequests } from '../token-requests.js';
import { type CodePresented, consumeCode, releaseCode } from './consume-code.js';
import type { ConsumedAuthorization } from './ports.js';
import { type SavedConnection, saveConnection } from './save-connection.js';

export interface CodeRequest {
  readonly authCode: string;
  /** Identity provider at whose redirect URI the code arrived. Undefined: the authorization tells which. */
  readonly identityProvider: string | undefined;
  readonly state: string | undefined;
  /** RFC 9207: the issuer that the answer names. */
  readonly iss: string | undefined;
  readonly onLimit: CodePresented['onLimit'];
}

/** Result of a connect. */
export interface ConnectOutcome extends SavedConnection {
  /** Scopes that were requested and not granted, in our names. */
  readonly missingScopes: readonly string[];
  /** Scopes that were granted without being requested, in the provider's names. */
  readonly unaskedScopes: readonly string[];
}

/**
 * Exchanges a code for tokens and connects. The code goes to the provider once at most, and uses up the authorization
 * it came from. The exchange goes on when its caller has hung up, and a stop waits for it. AppError
 * `invalid_auth_code`, `invalid_state`, `invalid_issuer`, `disconnected`, `provider_unavailable`, `stopping`.
 */
export const connect =
  (ports: Ports, requests: TokenRequests) =>
  async (userId: string, kind: string, request: CodeRequest): Promise<ConnectOutcome> => {
    const { state, iss } = request;
    const identityProvider =
      request.identityProvider ??
      (await ports.authorizations.identityProvider(userId, kindNamed(kind), state));
    const configured = clientFor(ports.providers, kind, identityProvider);
    // The issuer is checked first, so that nothing is used up while the provider is down.
    if (!(await configured.oauth.isIssuer(iss).catch(toAppError))) throw invalidIssuer();

    requests.refuseWhenStopping();
    return requests.follow(exchangeAndSave(ports, { ...configured, userId }, request));
  };

interface Connecting extends Configured {
  readonly userId: string;
}

async function exchangeAndSave(
  ports: Ports,
  connecting: Connecting,
  request: CodeRequest,
): Promise<ConnectOutcome> {
  const { userId, identityProvider, provider } = connecting;
  const owner = { userId, identityProvider, provider };
  const { authCode: code, state, onLimit } = request;
  const presented = { ...owner, code, state, onLimit };
  const consumed = await consumeCode(ports, presented);
  const grant = await exchange(ports, connecting, consumed, code);

  const { separateGrants } = connecting.oauth;
  try {
    const saved = await saveConnection(ports, { ...owner, grant, consumed, separateGrants });
    const { scopes, unaskedScopes } = grant;
    return { ...saved, missingScopes: scopes.missingScopes, unaskedScopes };
  } catch (error) {
    await revokeUnused(ports, { ...owner, accountId: grant.accountId }, grant);
    throw error;
  }
}

async function exchange(
  ports: Ports,
  { userId, identityProvider, provider, client, oauth }: Connecting,
  consumed: ConsumedAuthorization,
  code: string,
): Promise<Grant> {
  const { verifier, nonce, redirectUri } = consumed;
  const exchanging: CodeExchange = { userId, code, verifier, nonce, redirectUri };
  try {
    return await oauth.exchange(exchanging);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const owner = { userId, identityProvider, provider };
    await revokeUnused(ports, owner, error.recovered);
    if (!error.sent) await releaseCode(ports, { ...owner, code }, consumed);
    if (error.failure === 'misconfigured') {
      ports.log.error({ client, reason: error.reason }, CLIENT_REFUSED);
    }
    throw codeRefusal(error, provider);
  }
}

const invalidIssuer = (): AppError =>
  new AppError('invalid_issuer', 'The code comes from another provider.', {
    fields: [
      { field: 'iss', code: 'invalid_issuer', message: 'This is not the issuer of the provider.' },
    ],
  });
