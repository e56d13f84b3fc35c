import { isStorable } from '@junction/contracts';
import { claimText, joseHeader, numericDate } from '@junction/service/callers';
import {
  compactVerify,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWK,
} from 'jose';
import * as client from 'openid-client';
import { z } from 'zod';
import type { Grant } from '../../application/oauth-provider.js';
import { objectIn, withoutNulls } from './answer-text.js';
import { AnswerFault } from './classify-failure.js';
import {
  CLOCK_TOLERANCE_S,
  hasTenants,
  isIssuer,
  issuerOfTenant,
  TIMEOUT_S,
} from './client-configuration.js';

const SECOND_MS = 1_000;
const ACCOUNT_CHARS_MAX = 320;
/** Twice what OpenID Connect Core 1.0, section 2, allows; an index of Postgres holds it with its issuer. */
const SUB_CHARS_MAX = 510;

/**
 * Checks the signature of an id_token by the issuer's keys. Every key that fits is tried, since some providers publish
 * one key twice, two keys under one kid, or a key without a kid (RFC 7517, section 4.5); a key that lacks other members
 * is skipped (section 5). When each tenant is an issuer, a key may sign for all tenants or for one: Microsoft says
 * which in the key's `issuer`.
 */
export async function requireSignature(
  config: client.Configuration,
  idToken: string,
  iss: string,
): Promise<void> {
  const { issuer } = config.serverMetadata();
  const { data: header } = joseHeader.safeParse(decodeProtectedHeader(idToken));
  if (header === undefined) throw new AnswerFault('unavailable', 'malformed_answer');
  const { kid = '' } = header;
  const signers: IssuersKey[] = [];
  let isFitting = false;
  for (const key of await keysOf(config)) {
    try {
      await compactVerify(idToken, createLocalJWKSet({ keys: [{ kid, ...key }] }));
      signers.push(key);
    } catch (error) {
      isFitting ||= error instanceof errors.JWSSignatureVerificationFailed;
    }
  }
  if (signers.length === 0) {
    throw new AnswerFault('unavailable', isFitting ? 'malformed_answer' : 'unknown_signing_key');
  }
  const signsFor = ({ issuer: own = issuer }: IssuersKey) => own === issuer || own === iss;
  if (hasTenants(issuer) && !signers.some(signsFor)) throw foreign();
}

interface IssuersKey extends JWK {
  readonly issuer?: string;
}

/**
 * Fetches the issuer's keys. The library keeps the keys it fetches to itself, and refuses to choose among several that
 * fit.
 */
async function keysOf(config: client.Configuration): Promise<readonly IssuersKey[]> {
  const { jwks_uri: uri = '' } = config.serverMetadata();
  const send = config[client.customFetch] ?? fetch;
  const response = await send(uri, {
    headers: { accept: 'application/json, application/jwk-set+json' },
    method: 'GET',
    body: null,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_S * SECOND_MS),
  }).catch((error: unknown) => {
    throw (error as Error).name === 'TimeoutError'
      ? new AnswerFault('unavailable', 'timeout')
      : error;
  });
  if (response.status !== 200) throw new Error('The keys were not given.', { cause: response });
  const keys = objectIn(await response.text())?.['keys'];
  if (!Array.isArray(keys)) throw new AnswerFault('unavailable', 'malformed_answer');
  return keys.filter((key) => typeof key === 'object' && key !== null).map(withoutNulls);
}

/** Returns the account of an id_token, and the name by which a person would recognise it. */
export function accountIn(
  claims: client.IDToken,
  issuer: string,
  nowMs: number,
): Pick<Grant, 'account' | 'accountId'> {
  // The library leaves these claims of an id_token unchecked (OpenID Connect Core 1.0, sections 2 and 3.1.3.7).
  const { data } = grantedAccount.safeParse(claims);
  if (data === undefined) throw foreign();
  const { iss, sub, iat, tid, email, emails, upn, preferred_username: username } = data;
  const isFuture = iat > nowMs / SECOND_MS + CLOCK_TOLERANCE_S;
  const isOfTenant = !hasTenants(issuer) || iss === issuerOfTenant(issuer, tid);
  if (isFuture || !isIssuer(issuer, iss) || !isOfTenant) throw foreign();

  const names = [email, emails, upn, username].flat().filter((name) => typeof name === 'string');
  const account = names.map(shown).find((name) => name !== '') ?? shown(sub);
  return { account, accountId: accountIdOf(issuer, claims) };
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

/** The claims that are needed alone: a provider may err in others, which it sets to null for instance. */
const grantedAccount = z.looseObject({
  iss: claimText,
  sub: z.string().refine(isSubject),
  iat: numericDate,
});
const namedAccount = z.looseObject({ iss: z.string(), sub: z.string() });

const shown = (name: string): string =>
  name
    .slice(0, ACCOUNT_CHARS_MAX)
    .replaceAll('\0', '')
    .replace(/\p{Surrogate}/gu, '')
    .trim();

const foreign = (): AnswerFault => new AnswerFault('refused', 'foreign_id_token');
