import { isStorable } from '@junction/contracts';
import { claimText, joseHeader, numericDate } from '@junction/service/callers';
import type { PublishedKeys } from '@junction/service/outbound';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { z } from 'zod';
import type { Grant } from '../../application/oauth-provider.js';
import { AnswerFault } from './classify-failure.js';
import { hasTenants, isIssuer, issuerOfTenant } from './client-configuration.js';
import type { ProviderSettings } from './provider-settings.js';

const SECOND_MS = 1_000;
const ACCOUNT_CHARS_MAX = 320;
/** Twice what OpenID Connect Core 1.0, section 2, allows; an index of Postgres holds it with its issuer. */
const SUB_CHARS_MAX = 510;
/** Seconds a provider's clock may be from ours: an id_token is hardly older than the answer it comes in. */
const CLOCK_TOLERANCE_S = 300;
/** Milliseconds for which newer keys are asked for when none signed: the code is used up by then. */
const KEYS_WITHIN_MS = 10_000;

const PUBLIC_KEY_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const SECRET_ALGORITHMS = ['HS256', 'HS384', 'HS512'];

/**
 * Returns the algorithms whose id_tokens can be checked: those of published keys, and with a client secret those that
 * sign by it (OpenID Connect Core 1.0, section 10.1). Some providers send one that they do not promise, so that any of
 * them is taken.
 */
export const idTokenAlgorithms = ({
  clientSecret,
}: Pick<ProviderSettings, 'clientSecret'>): readonly string[] =>
  clientSecret === undefined
    ? PUBLIC_KEY_ALGORITHMS
    : [...PUBLIC_KEY_ALGORITHMS, ...SECRET_ALGORITHMS];

export interface IdTokenOptions extends Pick<ProviderSettings, 'clientId' | 'clientSecret'> {
  /** Issuer as the provider describes itself. */
  readonly issuer: string;
  readonly keys: PublishedKeys;
  readonly nonce: string;
  readonly nowMs: () => number;
  /** Milliseconds for which newer keys are asked for when none signed. Unless given: 10,000. */
  readonly keysWithinMs?: number;
}

/**
 * Returns the account of an id_token that came with a code, and the name by which a person would recognise it. Fails
 * with AnswerFault for a token that cannot be believed, or with KeysUnavailable.
 */
export async function accountIn(
  idToken: unknown,
  options: IdTokenOptions,
): Promise<Pick<Grant, 'account' | 'accountId'>> {
  const { issuer, clientId, nonce, nowMs } = options;
  // OpenID Connect Core 1.0, sections 2 and 3.1.3.7: what the signature's check leaves open.
  const { data } = grantedAccount.safeParse(await verifiedClaims(idToken, options));
  if (data === undefined) throw foreign();
  const { iss, sub, iat, tid, email, emails, upn, preferred_username: username } = data;
  const isFuture = iat > nowMs() / SECOND_MS + CLOCK_TOLERANCE_S;
  const isOfTenant = !hasTenants(issuer) || iss === issuerOfTenant(issuer, tid);
  if (isFuture || data.nonce !== nonce || !isIssuer(issuer, iss) || !isOfTenant) throw foreign();
  // Errata 2 demands `azp` no more. It came to us, with our nonce, straight from its issuer: so the issuer vouches for
  // audiences beside us. Where it names whom it was issued to, that must be us.
  const isShared = Array.isArray(data.aud) && data.aud.length > 1;
  if (isShared && data.azp !== undefined && data.azp !== clientId) throw foreign();

  const names = [email, emails, upn, username].flat().filter((name) => typeof name === 'string');
  const account = names.map(shown).find((name) => name !== '') ?? shown(sub);
  return { account, accountId: accountIdOf(issuer, { iss, sub }) };
}

/**
 * Checks signature, audience and times. Every key that fits is tried, since some providers publish one key twice, two
 * keys under one kid, or a key without a kid (RFC 7517, section 4.5); a key that lacks other members is skipped
 * (section 5).
 */
async function verifiedClaims(idToken: unknown, options: IdTokenOptions): Promise<JWTPayload> {
  const { issuer, clientId, clientSecret, keys, nowMs, keysWithinMs = KEYS_WITHIN_MS } = options;
  const { alg, kid = '' } = headerOf(idToken);
  if (!idTokenAlgorithms(options).includes(alg)) throw unusable('unsupported_id_token_alg');
  const checkedBy = async (key: JWTVerifyGetKey): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(String(idToken), key, {
      audience: clientId,
      requiredClaims: ['iss', 'sub', 'exp', 'iat', 'nonce'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(nowMs()),
    });
    return payload;
  };
  if (SECRET_ALGORITHMS.includes(alg)) {
    return checkedBy(async () => Buffer.from(clientSecret ?? '')).catch(refuse);
  }

  let isFitting = false;
  const signed = await keys.with(async ({ keys: published }) => {
    const signers: Signed[] = [];
    for (const key of published) {
      try {
        const claims = await checkedBy(createLocalJWKSet({ keys: [{ kid, ...key }] }));
        signers.push({ claims, key });
      } catch (error) {
        if (isAboutClaims(error)) return refuse(error);
        isFitting ||= error instanceof errors.JWSSignatureVerificationFailed;
      }
    }
    return signers.length > 0 ? signers : undefined;
  }, keysWithinMs);
  if (signed === undefined) throw unusable(isFitting ? 'malformed_answer' : 'unknown_signing_key');

  // Microsoft says in a key's `issuer` whether it signs for all tenants or for one.
  const own = signed.find(
    ({ key, claims: { iss } }) =>
      !hasTenants(issuer) || [issuer, iss].includes(key.issuer ?? issuer),
  );
  if (own === undefined) throw foreign();
  return own.claims;
}

interface Signed {
  readonly claims: JWTPayload;
  readonly key: JWK & { readonly issuer?: string };
}

function headerOf(idToken: unknown): z.infer<typeof joseHeader> {
  try {
    return joseHeader.parse(decodeProtectedHeader(String(idToken)));
  } catch {
    throw unusable('malformed_answer');
  }
}

/** Tells whether an error of jose is about claims, which it reads when the signature is good. */
const isAboutClaims = (error: unknown): boolean =>
  error instanceof errors.JWTClaimValidationFailed ||
  error instanceof errors.JWTExpired ||
  error instanceof errors.JWTInvalid;

function refuse(error: unknown): never {
  throw isAboutClaims(error) ? foreign() : unusable('malformed_answer');
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
  aud: z.union([claimText, z.array(claimText)]),
  azp: z.unknown().optional(),
  iat: numericDate,
  nonce: z.string(),
});
const namedAccount = z.looseObject({ iss: z.string(), sub: z.string() });

const shown = (name: string): string =>
  name
    .slice(0, ACCOUNT_CHARS_MAX)
    .replaceAll('\0', '')
    .replace(/\p{Surrogate}/gu, '')
    .trim();

const unusable = (reason: string): AnswerFault => new AnswerFault('unavailable', reason);

const foreign = (): AnswerFault => new AnswerFault('refused', 'foreign_id_token');
