import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { z } from 'zod';
import type { PublishedKeys } from '../outbound/published-keys.js';
import { claimText, joseHeader, numericDate } from './claims.js';

const SECOND_MS = 1_000;
/** Seconds an issuer's clock may be from ours: an id_token is hardly older than the answer it comes in. */
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

/** Fault in an answer that an OAuth library accepts and we do not. */
export class AnswerFault extends Error {
  constructor(
    /** `refused`: the answer speaks of somebody else. `unavailable`: nothing can be read from it. */
    readonly failure: 'refused' | 'unavailable',
    /** A stable code. */
    readonly reason: string,
  ) {
    super(reason);
  }
}

/** Our client at an issuer. */
interface Client {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
}

/**
 * Returns the algorithms whose id_tokens can be checked: those of published keys, and with a client secret those that
 * sign by it (OpenID Connect Core 1.0, section 10.1). Some issuers send one that they do not promise, so that any of
 * them is taken.
 */
export const idTokenAlgorithms = ({
  clientSecret,
}: Pick<Client, 'clientSecret'>): readonly string[] =>
  clientSecret === undefined
    ? PUBLIC_KEY_ALGORITHMS
    : [...PUBLIC_KEY_ALGORITHMS, ...SECRET_ALGORITHMS];

/** Names the issuer that a key signs for, where it does not sign for all of the set. Microsoft's keys say so. */
export type IssuerKey = JWK & { readonly issuer?: string };

export interface IdTokenOptions extends Client {
  readonly keys: PublishedKeys;
  readonly nonce: string;
  /** Whether our issuer may have made these claims, signed by this key: by the client secret where it is absent. */
  readonly isOwn: (claims: IdTokenClaims, key?: IssuerKey) => boolean;
  readonly nowMs: () => number;
  /** Milliseconds for which newer keys are asked for when none signed. Unless given: 10,000. */
  readonly keysWithinMs?: number | undefined;
}

/** The claims that are needed alone: an issuer may err in others, which it sets to null for instance. */
const idTokenClaims = z.looseObject({
  iss: claimText,
  sub: z.string(),
  aud: z.union([claimText, z.array(claimText)]),
  azp: z.unknown().optional(),
  iat: numericDate,
  nonce: z.string(),
});
export type IdTokenClaims = z.infer<typeof idTokenClaims>;

/**
 * Checks an id_token that came with a code (OpenID Connect Core 1.0, section 3.1.3.7): signature, issuer, audience,
 * times and nonce. Fails with AnswerFault for a token that cannot be believed, or with KeysUnavailable.
 */
export async function checkedIdToken(
  idToken: unknown,
  options: IdTokenOptions,
): Promise<IdTokenClaims> {
  const { clientId, nonce, isOwn, nowMs } = options;
  for (const { payload, key } of await signed(idToken, options)) {
    const { data } = idTokenClaims.safeParse(payload);
    if (data === undefined || !isOwn(data, key)) continue;
    const isFuture = data.iat > nowMs() / SECOND_MS + CLOCK_TOLERANCE_S;
    // Errata 2 demands `azp` no more. It came to us, with our nonce, straight from its issuer: so the issuer vouches
    // for audiences beside us. Where it names whom it was issued to, that must be us.
    const isShared = Array.isArray(data.aud) && data.aud.length > 1;
    const isOthers = isShared && data.azp !== undefined && data.azp !== clientId;
    if (isFuture || isOthers || data.nonce !== nonce) throw foreign();
    return data;
  }
  throw foreign();
}

interface Signed {
  readonly payload: JWTPayload;
  readonly key?: IssuerKey;
}

/**
 * Returns the claims with each key that signed them. Every key that fits is tried, since some issuers publish one key
 * twice, two keys under one kid, or a key without a kid (RFC 7517, section 4.5); a key that lacks other members is
 * skipped (section 5).
 */
async function signed(idToken: unknown, options: IdTokenOptions): Promise<readonly Signed[]> {
  const { clientId, clientSecret, keys, nowMs, keysWithinMs = KEYS_WITHIN_MS } = options;
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
    return [
      { payload: await checkedBy(async () => Buffer.from(clientSecret ?? '')).catch(refuse) },
    ];
  }

  let isFitting = false;
  const found = await keys.with(async ({ keys: published }) => {
    const signers: Signed[] = [];
    for (const key of published) {
      try {
        const payload = await checkedBy(createLocalJWKSet({ keys: [{ kid, ...key }] }));
        signers.push({ payload, key });
      } catch (error) {
        if (isAboutClaims(error)) return refuse(error);
        isFitting ||= error instanceof errors.JWSSignatureVerificationFailed;
      }
    }
    return signers.length > 0 ? signers : undefined;
  }, keysWithinMs);
  return found ?? refuseUnsigned(isFitting);
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

function refuseUnsigned(isFitting: boolean): never {
  throw unusable(isFitting ? 'malformed_answer' : 'unknown_signing_key');
}

const unusable = (reason: string): AnswerFault => new AnswerFault('unavailable', reason);

const foreign = (): AnswerFault => new AnswerFault('refused', 'foreign_id_token');
