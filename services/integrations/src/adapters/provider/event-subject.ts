import { claimText } from '@junction/service/callers';
import { z } from 'zod';
import type { Subject } from '../../domain/security-event.js';

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
export function tokenIn(
  names: readonly string[],
  subjects: readonly unknown[],
): Subject | undefined {
  if (names.some((name) => name !== 'token-revoked')) return undefined;
  const named = subjects.flatMap((subject) => oauthToken.safeParse(subject).data ?? []);
  const [{ token_identifier_alg: alg, token } = {}] = named;
  if (token === undefined) return undefined;
  if (alg === 'prefix') return { by: 'token_prefix', value: token };
  const value = Buffer.from(token, 'base64');
  return value.length === SHA512_BYTES ? { by: 'token_hash', value } : undefined;
}

/** Returns the account that an event names, of one of these issuers. */
export function accountIn(
  subjects: readonly unknown[],
  issuers: readonly string[],
): Subject | undefined {
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
