import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';
import type { Tokens } from '../session-tokens.js';
import { startSession } from '../start-session.js';
import { admit } from './ensure-user.js';
import type { IssuerSignIn, PendingAuthorization } from './ports.js';

export interface Callback {
  readonly issuerId: string;
  /** As the browser asked for it, with code and state. */
  readonly url: URL;
  readonly pending: PendingAuthorization;
  readonly device?: string | undefined;
}

/** Users of trusted issuers sign in there, and get a session here. */
export const signInAtIssuer = (ports: Ports, refreshTokenTtlMs: number) => ({
  list: (): readonly Pick<IssuerSignIn, 'id' | 'displayName'>[] => [
    ...ports.issuerSignIns.values(),
  ],

  /** AppError `issuer_not_found`, `issuer_unavailable`. */
  begin: async (issuerId: string) => issuerOf(ports, issuerId).begin(),

  /** AppError of `IssuerSignIn.finish`, `account_deleted`, `user_of_another_origin`. */
  async finish({ issuerId, url, pending, device }: Callback): Promise<Tokens> {
    const user = await issuerOf(ports, issuerId).finish(url, pending);
    await admit(ports, user);
    return startSession(ports, { userId: user.userId, device }, refreshTokenTtlMs);
  },
});

/** AppError `issuer_not_found`. */
export function issuerOf(
  { issuerSignIns }: Pick<Ports, 'issuerSignIns'>,
  id: string,
): IssuerSignIn {
  const found = issuerSignIns.get(id);
  if (found) return found;
  throw new AppError('issuer_not_found', 'There is no such issuer to sign in at.');
}
