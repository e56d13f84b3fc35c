import { retry } from '@junction/async';
import { AppError, isOutage } from '@junction/errors';
import { clientName } from '../../domain/connection/events.js';
import type { CodeExchange, Grant } from '../oauth-provider.js';
import type { Ports } from '../ports.js';
import { ProviderError } from '../provider-error.js';
import { type Configured, clientFor, kindNamed, servingAt } from '../provider-of.js';
import { beginAgain, codeRefusal, toAppError, usedUp } from '../provider-refusal.js';
import { revokeUnused } from '../revoke-unused.js';
import type { TokenRequests } from '../token-requests.js';
import {
  type CodePresented,
  CodeUnderWay,
  consumeCode,
  refuseCode,
  releaseCode,
} from './consume-code.js';
import type { ConnectOutcome, ConsumedAuthorization, SentCode } from './ports.js';
import { saveConnection } from './save-connection.js';

/** Milliseconds for which a code that is under way already is waited for. */
const UNDER_WAY_MS = 30_000;
const LOOK_EVERY_MS = 250;

export interface CodeRequest {
  readonly authCode: string;
  /** Identity provider at whose redirect URI the code arrived. Undefined: the code or its authorization tells which. */
  readonly identityProvider: string | undefined;
  readonly state: string | undefined;
  /** RFC 9207: the issuer that the answer names. */
  readonly iss: string | undefined;
  readonly onLimit: CodePresented['onLimit'];
}

/**
 * Exchanges a code for tokens and connects. The code goes to the provider once at most, and uses up the authorization
 * it came from. A code that its user sends again, at the same time or within a minute, is the same connect: it has the
 * outcome of the first. The exchange goes on when its caller has hung up, and a stop waits for it. AppError
 * `invalid_auth_code`, `invalid_state`, `invalid_issuer`, `disconnected`, `provider_unavailable`, `stopping`.
 * What used the code up has a field error `auth_code`.
 */
export const connect =
  (ports: Ports, requests: TokenRequests) =>
  async (userId: string, kind: string, request: CodeRequest): Promise<ConnectOutcome> => {
    const { state, iss } = request;
    const provider = kindNamed(kind);
    const identityProvider =
      request.identityProvider ??
      (await ports.authorizations.identityProvider(
        { userId, provider, state, code: request.authCode },
        servingAt(ports.providers, provider),
      ));
    const configured = clientFor(ports.providers, kind, identityProvider);
    // Issuer and keys come first, so that nothing is used up while the provider is down.
    if (!(await configured.oauth.isIssuer(iss).catch(toAppError))) throw invalidIssuer();
    await configured.oauth.ready().catch(toAppError);

    const connecting = { ...configured, userId };
    const attempt = async () => {
      requests.refuseWhenStopping();
      return requests.follow(exchangeAndSave(ports, connecting, request));
    };
    return retry(attempt, {
      isRetryable: (error) => error instanceof CodeUnderWay,
      withinMs: UNDER_WAY_MS,
      delayMs: () => LOOK_EVERY_MS,
    });
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
  if ('connectionId' in consumed) return consumed;
  const sent = { ...owner, code };
  const grant = await exchange(ports, connecting, consumed, sent);

  const { separateGrants } = connecting.oauth;
  try {
    return await saveConnection(ports, { ...sent, grant, consumed, separateGrants });
  } catch (error) {
    await revokeUnused(ports, { ...owner, accountId: grant.accountId }, grant);
    return refuse(ports, sent, isOutage(error) ? notStored(error, provider) : AppError.from(error));
  }
}

async function exchange(
  ports: Ports,
  { oauth }: Connecting,
  consumed: ConsumedAuthorization,
  sent: SentCode,
): Promise<Grant> {
  const { verifier, nonce, redirectUri } = consumed;
  const { code, ...owner } = sent;
  const exchanging: CodeExchange = { userId: owner.userId, code, verifier, nonce, redirectUri };
  try {
    return await oauth.exchange(exchanging);
  } catch (error) {
    if (!(error instanceof ProviderError)) return refuse(ports, sent, AppError.from(error));
    await revokeUnused(ports, owner, error.recovered);
    const refusal = codeRefusal(error, owner.provider);
    if (error.sent) return refuse(ports, sent, refusal);
    await releaseCode(ports, sent, consumed);
    throw refusal;
  }
}

/** Throws the refusal of a code that is used up, and keeps it for those who send the code again. */
async function refuse({ log, ...ports }: Ports, sent: SentCode, refusal: AppError): Promise<never> {
  await refuseCode(ports, sent, refusal).catch((err: unknown) => {
    log.warn({ err, client: clientName(sent) }, 'the refusal of a code could not be kept');
  });
  throw refusal;
}

function notStored(cause: unknown, provider: string): AppError {
  const begin = beginAgain(provider);
  const message = `The code was used up, and what it gave could not be stored and is revoked. ${begin}`;
  return new AppError('service_unavailable', message, { cause, ...usedUp(message) });
}

const invalidIssuer = (): AppError =>
  new AppError('invalid_issuer', 'The code comes from another provider.', {
    fields: [
      { field: 'iss', code: 'invalid_issuer', message: 'This is not the issuer of the provider.' },
    ],
  });
