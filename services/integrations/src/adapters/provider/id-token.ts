import { isStorable, oneLine } from '@junction/contracts';
import { AnswerFault, checkedIdToken, type IdTokenOptions } from '@junction/service/callers';
import { decodeJwt } from 'jose';
import { z } from 'zod';
import type { Grant } from '../../application/oauth-provider.js';
import { hasTenants, isIssuer, issuerOfTenant } from './client-configuration.js';

const ACCOUNT_CHARS_MAX = 320;
/** Twice what OpenID Connect Core 1.0, section 2, allows; an index of Postgres holds it with its issuer. */
const SUB_CHARS_MAX = 510;

export interface AccountOptions extends Omit<IdTokenOptions, 'isOwn'> {
  /** Issuer as the provider describes itself. */
  readonly issuer: string;
}

/**
 * Returns the account of an id_token that came with a code, and the name by which a person would recognise it. Fails
 * with AnswerFault for a token that cannot be believed, or with KeysUnavailable.
 */
export async function accountIn(
  idToken: unknown,
  { issuer, ...options }: AccountOptions,
): Promise<Pick<Grant, 'account' | 'accountId'>> {
  const claims = await checkedIdToken(idToken, {
    ...options,
    isOwn({ iss, tid }, key) {
      if (!hasTenants(issuer)) return isIssuer(issuer, iss);
      // Microsoft says in a key's `issuer` whether it signs for all tenants or for one.
      const isSigner = [issuer, iss].includes(key?.issuer ?? issuer);
      return isSigner && isIssuer(issuer, iss) && iss === issuerOfTenant(issuer, tid);
    },
  });
  const { iss, sub, email, emails, upn, preferred_username: username } = claims;
  if (!isSubject(sub)) throw new AnswerFault('refused', 'foreign_id_token');
  const names = [email, emails, upn, username].flat().filter((name) => typeof name === 'string');
  const account = [...names, sub].map(shown).find((name) => name !== '') ?? '';
  return { account, accountId: accountIdOf(issuer, { iss, sub }) };
}

/**
 * Returns the account that the id_token of a refresh names. The id_token came from the token endpoint itself, so its
 * signature need not be checked (OpenID Connect Core 1.0, section 3.1.3.7). Undefined when it names no account that can
 * be read.
 */
export function accountNamedBy(idToken: unknown, issuer: string): string | undefined {
  try {
    return accountIdOf(issuer, namedAccount.parse(decodeJwt(String(idToken))));
  } catch {
    return undefined;
  }
}

/**
 * Returns the id of an account. A sub is the issuer's own (OpenID Connect Core 1.0, section 5.7), and each tenant is an
 * issuer.
 */
const accountIdOf = (issuer: string, { iss, sub }: { iss: string; sub: string }): string =>
  hasTenants(issuer) ? `${iss} ${sub}` : sub;

/** Tells whether a sub can be stored as it is: otherwise it might become another account's. */
const isSubject = (sub: string): boolean =>
  sub.trim() !== '' && sub.length <= SUB_CHARS_MAX && isStorable(sub);

const namedAccount = z.looseObject({ iss: z.string(), sub: z.string() });

const shown = (name: string): string => oneLine(name, ACCOUNT_CHARS_MAX);
