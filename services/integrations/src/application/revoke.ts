import { REVOCATION_BACKOFF, restMs } from '../domain/backoff.js';
import type { Provider } from '../domain/connection/events.js';
import type { Needs, QueuedRevocation, RevocableToken, TokenOwner } from './needs.js';
import { ProviderError, type SalvagedTokens } from './provider-error.js';

const DAY_MS = 86_400_000;
/** Longer than refresh tokens that nobody uses live. */
const TRIED_FOR_MS = 90 * DAY_MS;

type RevocationNeeds = Pick<Needs, 'providers' | 'revocations' | 'log' | 'now' | 'chance'>;

/** The token whose revocation ends the grant: the refresh token, if there is one. */
export function revocableOf(tokens: {
  readonly refreshToken?: string | undefined;
  readonly accessToken?: string | undefined;
}): RevocableToken | undefined {
  if (tokens.refreshToken !== undefined) {
    return { token: tokens.refreshToken, hint: 'refresh_token' };
  }
  if (tokens.accessToken === undefined) return undefined;
  return { token: tokens.accessToken, hint: 'access_token' };
}

/** For tokens that came and cannot be kept: nobody would ever use or revoke them again. */
export async function giveUp(
  { providers, revocations, log }: RevocationNeeds,
  owner: TokenOwner,
  tokens: SalvagedTokens | Parameters<typeof revocableOf>[0],
): Promise<void> {
  const { provider } = owner;
  const token = revocableOf(tokens);
  if (token === undefined) return;
  try {
    await revocations.add(owner, token);
  } catch (error) {
    log.warn({ err: error, provider }, 'tokens could not be queued for revocation');
    // Now or never: after this function nobody has them.
    await providers
      .get(provider)
      ?.revoke(token)
      .catch((failure: unknown) => {
        log.error({ err: failure, provider }, 'tokens were lost without being revoked');
      });
  }
}

/**
 * Revokes at the providers what is due (RFC 7009) and says how much there was: more may be due while
 * it is not 0.
 */
export const revokeDue = (needs: RevocationNeeds) => async (): Promise<number> => {
  const due = await needs.revocations.claim();
  await Promise.all(due.map(async (queued) => revokeOne(needs, queued)));
  return due.length;
};

async function revokeOne(needs: RevocationNeeds, queued: QueuedRevocation): Promise<void> {
  const { revocations, log, now, chance } = needs;
  const { revocationId, connectionId, provider: name, attempts } = queued;
  try {
    const provider = needs.providers.get(name as Provider);
    // Another replica may have its settings already, or this one have them again.
    if (provider === undefined) throw notSetUp();
    const answer = await provider.revoke(queued.token());
    return await revocations.settle(queued, answer === 'revoked' ? 'done' : answer, now());
  } catch (error) {
    const fields = { err: error, provider: name, connection_id: connectionId, attempts };
    if (now().getTime() - queued.queuedAt.getTime() > TRIED_FOR_MS) {
      log.error(fields, 'revocation at the provider given up');
      return revocations.settle(queued, 'failed', now());
    }
    log.warn(fields, 'revocation at the provider failed; it will be repeated');
    const askedForMs = error instanceof ProviderError ? error.retryAfterMs : undefined;
    const rest = restMs(REVOCATION_BACKOFF, attempts, chance(), askedForMs);
    return revocations.postpone(revocationId, rest);
  }
}

const notSetUp = (): ProviderError =>
  new ProviderError({ failure: 'misconfigured', reason: 'not_set_up', sent: false });
