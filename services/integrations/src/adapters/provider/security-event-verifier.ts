import { AppError } from '@junction/errors';
import { claimText, jwtClaims, numericDate, readToken } from '@junction/service-kit/callers';
import {
  type CompactVerifyResult,
  compactVerify,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTVerifyGetKey,
} from 'jose';
import { z } from 'zod';
import { SecurityEventRefusal } from '../../application/ending/security-event-refusal.js';
import { type SecurityEvent, SKEW_MS, type Subject } from '../../domain/security-event.js';

const SECOND_MS = 1_000;
/** Greatest age of an event: as long as we remember which events came. */
const AGE_MAX_MS = 30 * 86_400_000;
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const TYPE = /^(application\/)?secevent\+jwt$/i;
const JWKS_TIMEOUT_MS = 3_000;
const JWKS_COOLDOWN_MS = 10_000;
/** Seconds after which the sender may come back: keys that were fetched a moment ago may be fetched again by then. */
const RETRY_AFTER_S = JWKS_COOLDOWN_MS / SECOND_MS;
const JWKS_MAX_AGE_MS = 10 * 60_000;
const EVENTS_MAX = 20;

export interface SecurityEventVerifierOptions {
  readonly issuer: string;
  /** `eventKeys`. */
  readonly keys: EventKeys;
  /** Our client at this provider: the audience. */
  readonly clientId: string;
  /** Issuer of the accounts that connect. */
  readonly subjectIssuer: string;
  readonly nowMs: () => number;
}

/**
 * Checks a security event token (RFC 8417) that a provider pushed: signature by the provider's keys alone and an
 * algorithm of the list, typ, iss, aud, iat. `exp` does not count: an event does not expire. Throws
 * SecurityEventRefusal, or AppError `keys_unavailable`.
 */
export function securityEventVerifier(
  options: SecurityEventVerifierOptions,
): (token: string) => Promise<SecurityEvent> {
  const keys = reportingOutages(options.keys);
  return async (token) => {
    const claims = claimsIn(await verifiedToken(token, keys));
    return securityEvent(checked(claims, options), options);
  };
}

/**
 * Keys of a provider. `coolingDown`: the keys were fetched a moment ago, and are not fetched again for an unknown
 * `kid`.
 */
type EventKeys = JWTVerifyGetKey & { readonly coolingDown?: boolean };

/** Returns the keys of a provider's transmitter: fetched when first needed, and again for an unknown `kid`. */
export const eventKeys = (jwksUri: string, send: typeof fetch = fetch): EventKeys =>
  createRemoteJWKSet(new URL(jwksUri), {
    [customFetch]: send,
    timeoutDuration: JWKS_TIMEOUT_MS,
    cooldownDuration: JWKS_COOLDOWN_MS,
    cacheMaxAge: JWKS_MAX_AGE_MS,
  });

/**
 * Converts failures of a key lookup. Only an unknown `kid` is the token's fault: no key has this `kid`, and the keys
 * were fetched for this token. A refusal is final, and the signer may have got a new key since the keys were fetched
 * for another token. Several keys that fit are no failure.
 */
const reportingOutages =
  (keys: EventKeys): JWTVerifyGetKey =>
  async (header, token) => {
    const mayBeOld = keys.coolingDown === true;
    try {
      return await keys(header, token);
    } catch (cause) {
      if (cause instanceof errors.JWKSMultipleMatchingKeys) throw cause;
      const isTheTokens =
        (cause instanceof errors.JWKSNoMatchingKey && !mayBeOld) ||
        cause instanceof errors.JOSENotSupported;
      if (isTheTokens) throw refused('invalid_key', 'No key of ours signed this.', cause);
      throw new AppError(
        'keys_unavailable',
        'Events cannot be checked just now. Send it again in a moment.',
        { cause, retryAfterS: RETRY_AFTER_S },
      );
    }
  };

async function verifiedToken(token: string, keys: JWTVerifyGetKey): Promise<CompactVerifyResult> {
  try {
    return await verifiedBy(token, keys);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Tries each key that fits: some providers publish one twice, or two under one `kid` (RFC 7517, section 4.5). */
async function verifiedBy(token: string, keys: JWTVerifyGetKey): Promise<CompactVerifyResult> {
  const options = { algorithms: ALGORITHMS };
  try {
    return await compactVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const verified = await compactVerify(token, key, options).catch(() => undefined);
      if (verified) return verified;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return refused('authentication_failed', 'The signature is not good.', error);
  }
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
    return refused('invalid_key', `It must be signed by ${ALGORITHMS.join(', ')}.`, error);
  }
  if (!(error instanceof errors.JOSEError)) return error;
  return refused('invalid_request', 'The body is no security event token.', error);
}

/** Time in an event. A time only makes the event earlier than `iat`. */
const moment = z.number().nonnegative();
const payload = z.looseObject({
  subject: z.unknown().optional(),
  event_timestamp: moment.optional(),
});
const claims = jwtClaims.extend({
  iss: claimText,
  aud: z.union([claimText, z.array(claimText)]),
  iat: numericDate,
  jti: claimText,
  toe: moment.optional(),
  sub_id: z.unknown().optional(),
  events: z
    .record(claimText, payload)
    .refine((events) => Object.keys(events).length > 0, 'must tell of one event at least')
    .refine((events) => Object.keys(events).length <= EVENTS_MAX, 'tells of too many events'),
});
type SetClaims = z.infer<typeof claims>;

function claimsIn({ payload: bytes, protectedHeader }: CompactVerifyResult): SetClaims {
  try {
    const read = readToken(claims, { payload: jsonIn(bytes), protectedHeader });
    if (TYPE.test(read.header.typ ?? '')) return read.claims;
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    const [issue] = error.issues;
    const place = issue?.path.map(String).join('.') || 'the payload';
    throw refused('invalid_request', `${place}: ${issue?.message ?? 'is not as it must be'}.`);
  }
  throw refused('invalid_request', 'Its typ must be secevent+jwt.');
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw refused('invalid_request', 'The payload is not JSON.', error);
  }
}

function checked(
  set: SetClaims,
  { issuer, clientId, nowMs }: SecurityEventVerifierOptions,
): SetClaims {
  if (set.iss !== issuer)
    throw refused('invalid_issuer', 'This is not the issuer we take events of.');
  if (![set.aud].flat().includes(clientId)) {
    throw refused('invalid_audience', 'It is not for our client.');
  }
  const ageMs = nowMs() - set.iat * SECOND_MS;
  if (ageMs < -SKEW_MS) throw refused('invalid_request', 'iat lies in the future.');
  if (ageMs > AGE_MAX_MS) throw refused('invalid_request', 'iat lies more than 30 days back.');
  return set;
}

const NAME =
  /^https:\/\/schemas\.openid\.net\/secevent\/(?:oauth|risc|caep|ssf)\/event-type\/([a-z-]+)$/;

function securityEvent(
  { jti, iat, toe = iat, sub_id, events }: SetClaims,
  { issuer, subjectIssuer }: SecurityEventVerifierOptions,
): SecurityEvent {
  const payloads = Object.values(events);
  const happened = payloads.map(({ event_timestamp: at = iat }) => at);
  const names = Object.keys(events).flatMap((uri) => NAME.exec(uri)?.[1] ?? []);
  const subjects = [sub_id, ...payloads.map(({ subject }) => subject)];
  return {
    jti,
    names,
    subject: tokenIn(names, subjects) ?? accountIn(subjects, [issuer, subjectIssuer]),
    issuedAt: new Date(iat * SECOND_MS),
    happenedAt: new Date(Math.min(iat, toe, ...happened) * SECOND_MS),
  };
}

const SHA512_BYTES = 64;
const oauthToken = z.looseObject({
  token_type: z.literal('refresh_token'),
  token_identifier_alg: z.enum(['prefix', 'hash_base64_sha512_sha512']),
  token: claimText,
});

/**
 * Returns a refresh token that an event names as Google does (developers.google.com/identity/protocols/risc, "OAuth
 * token identifiers"). An event with other names is about more than the token.
 */
function tokenIn(names: readonly string[], subjects: readonly unknown[]): Subject | undefined {
  if (names.some((name) => name !== 'token-revoked')) return undefined;
  const named = subjects.flatMap((subject) => oauthToken.safeParse(subject).data ?? []);
  const [{ token_identifier_alg: alg, token } = {}] = named;
  if (token === undefined) return undefined;
  if (alg === 'prefix') return { by: 'token_prefix', value: token };
  const value = Buffer.from(token, 'base64');
  return value.length === SHA512_BYTES ? { by: 'token_hash', value } : undefined;
}

function accountIn(subjects: readonly unknown[], issuers: readonly string[]): Subject | undefined {
  const named = subjects.map(issSubIn).find((one) => one && issuers.includes(one.iss));
  return named && { by: 'account', value: named.sub };
}

/** An account id that could not be stored belongs to no connection. */
const issSub = z.looseObject({ iss: claimText, sub: claimText });
const complex = z.looseObject({ user: z.unknown() });

/**
 * Reads a subject by RFC 9493 (`format`), the drafts that Google went by (`subject_type`), and SSF's complex subjects.
 */
function issSubIn(subject: unknown): z.infer<typeof issSub> | undefined {
  const simple = issSub.safeParse(subject);
  if (simple.success) return simple.data;
  const { data } = complex.safeParse(subject);
  return data?.user === undefined ? undefined : issSub.safeParse(data.user).data;
}

const refused = (
  err: SecurityEventRefusal['err'],
  message: string,
  cause?: unknown,
): SecurityEventRefusal => new SecurityEventRefusal(err, message, { cause });
