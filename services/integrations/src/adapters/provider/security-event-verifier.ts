import { claimText, jwtClaims, numericDate, readToken } from '@junction/service/callers';
import type { PublishedKeys } from '@junction/service/outbound';
import type { CompactVerifyResult } from 'jose';
import { z } from 'zod';
import { type SecurityEvent, SKEW_MS } from '../../domain/security-event.js';
import { refused, verifiedToken } from './event-signature.js';
import { accountIn, tokenIn } from './event-subject.js';

const SECOND_MS = 1_000;
/** Greatest age of an event: as long as we remember which events came. */
const AGE_MAX_MS = 30 * 86_400_000;
const TYPE = /^(application\/)?secevent\+jwt$/i;
const EVENTS_MAX = 20;

export interface SecurityEventVerifierOptions {
  readonly issuer: string;
  readonly keys: PublishedKeys;
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
export const securityEventVerifier =
  (options: SecurityEventVerifierOptions) =>
  async (token: string): Promise<SecurityEvent> => {
    const claims = claimsIn(await verifiedToken(token, options.keys));
    return securityEvent(checked(claims, options), options);
  };

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
