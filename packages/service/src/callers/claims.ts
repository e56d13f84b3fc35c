import { isStorable } from '@junction/contracts';
import { decodeJwt } from 'jose';
import { z } from 'zod';

const TEXT_CHARS_MAX = 512;
/** The end of the year 9999: the last that Date, ISO 8601 in its short form and Postgres all write alike. */
const MOMENT_MAX_S = 253_402_300_799;

/** StringOrURI (RFC 7519, section 2), of a length that a column and a log hold. */
export const claimText = z
  .string()
  .min(1)
  .max(TEXT_CHARS_MAX)
  .refine(isStorable, 'holds a character that cannot be stored');

/** NumericDate (RFC 7519, section 2): seconds since 1970. */
export const numericDate = z.number().nonnegative().max(MOMENT_MAX_S);

/** `scope` (RFC 8693, section 4.2): words between spaces, or nothing at all. */
export const scopeText = z.string().refine(isStorable);

/** The registered claims (RFC 7519, section 4.1). What a kind of token has besides, and must have, extends them. */
export const jwtClaims = z.looseObject({
  iss: claimText.optional(),
  sub: claimText.optional(),
  aud: z.union([claimText, z.array(claimText)]).optional(),
  exp: numericDate.optional(),
  nbf: numericDate.optional(),
  iat: numericDate.optional(),
  jti: claimText.optional(),
});

/** The members of a JOSE header that are read (RFC 7515, section 4.1). */
export const joseHeader = z.looseObject({
  alg: claimText,
  typ: claimText.optional(),
  kid: claimText.optional(),
});

/**
 * Reads the header and the claims of a token after its signature was checked: a genuine token may still hold claims of
 * another type or shape. Throws ZodError, without the values, when the header or a claim does.
 */
export function readToken<Said>(
  schema: z.ZodType<Said>,
  { payload, protectedHeader }: { readonly payload: unknown; readonly protectedHeader: object },
): { readonly claims: Said; readonly header: z.infer<typeof joseHeader> } {
  return { header: joseHeader.parse(protectedHeader), claims: schema.parse(payload) };
}

/**
 * Returns a token's claims before anything has checked them: good for choosing the keys and rules that check the token,
 * and for nothing else. Undefined when this is no token, or has no claims.
 */
export function unverifiedClaims(jwt: string): z.infer<typeof jwtClaims> | undefined {
  try {
    return jwtClaims.parse(decodeJwt(jwt));
  } catch {
    return undefined;
  }
}
