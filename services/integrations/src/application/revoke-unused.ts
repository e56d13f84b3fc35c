import { type ClientName, clientName } from '../domain/connection/events.js';
import type { TokenOwner } from './ending/ports.js';
import type { OAuthProvider, RevocableToken } from './oauth-provider.js';
import type { Log, Ports } from './ports.js';
import type { RecoveredTokens } from './provider-error.js';

/** Returns the token whose revocation ends the grant: the refresh token, if there is one. */
export function revocableOf(tokens: {
  readonly refreshToken?: string | undefined;
  readonly accessToken?: string | undefined;
}): RevocableToken | undefined {
  const { refreshToken, accessToken } = tokens;
  if (refreshToken !== undefined) {
    return { token: refreshToken, hint: 'refresh_token', accessToken };
  }
  return accessToken === undefined ? undefined : { token: accessToken, hint: 'access_token' };
}

/** Opens the token whose revocation ends the grant; undefined when there is none, or its key was destroyed. */
export const openRevocable = async (
  open: (token: RevocableToken['hint']) => Promise<string | undefined>,
): Promise<RevocableToken | undefined> =>
  revocableOf({ refreshToken: await open('refresh_token') }) ??
  revocableOf({ accessToken: await open('access_token') });

interface RevokingPorts {
  readonly providers: ReadonlyMap<ClientName, Pick<OAuthProvider, 'revoke' | 'separateGrants'>>;
  readonly revocations: Pick<Ports['revocations'], 'add'>;
  readonly log: Pick<Log, 'error' | 'warn'>;
}

/** Revokes tokens that came and cannot be kept: nothing would ever use or revoke them again. */
export async function revokeUnused(
  { providers, revocations, log }: RevokingPorts,
  owner: TokenOwner,
  tokens: RecoveredTokens | Parameters<typeof revocableOf>[0],
): Promise<void> {
  const client = clientName(owner);
  const token = revocableOf(tokens);
  if (token === undefined) return;
  try {
    await revocations.add(owner, token);
  } catch (error) {
    log.warn({ err: error, client, keep: true }, 'tokens could not be queued for revocation');
    const provider = providers.get(client);
    // Tokens are left to expire when their revocation could end other connections.
    if (!provider?.separateGrants) return;
    // The tokens must be revoked now: after this function they are gone.
    await provider.revoke(token).catch((failure: unknown) => {
      log.error({ err: failure, client, keep: true }, 'tokens were lost without being revoked');
    });
  }
}
