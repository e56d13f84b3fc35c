import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

/** An OpenID issuer whose users need no account of their own here. */
export interface TrustedIssuer {
  readonly id: string;
  readonly displayName: string;
  /** The `iss` of its tokens, to the letter. */
  readonly issuer: string;
  /** The `aud` of its access tokens for us. */
  readonly audience: string;
  readonly algorithms: readonly string[];
  /** Claim that holds a user's UUID; undefined: the id is made from issuer and `sub`. */
  readonly userIdClaim: string | undefined;
  /** Scopes that a token must have, all of them. */
  readonly requiredScopes: readonly string[];
  /** Settings with which the dashboard signs users in there; undefined: the dashboard does not. */
  readonly signIn: IssuerSignIn | undefined;
}

export interface IssuerSignIn {
  readonly clientId: string;
  /** Variable that holds the secret; undefined for a public client. */
  readonly secretVariable: string | undefined;
  readonly scopes: readonly string[];
}

/** Asymmetric algorithms alone: with a key that both sides know, either could sign. */
const ALGORITHMS = [
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
] as const;
const DEFAULT_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
const NAME_CHARS_MAX = 60;

const text = z.string().min(1);
/** RFC 6749, section 3.3. */
const scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one word');

const issuer = z.string().refine((url) => {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, port, search, hash } = new URL(url);
  const isHere = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return (protocol === 'https:' || isHere) && port !== '0' && search === '' && hash === '';
}, 'must be an https URL without query (http for this machine alone)');

const signIn = z
  .strictObject({
    client_id: text,
    client_secret: z
      .string()
      .regex(/^env:\w+$/, 'must be env:NAME; a secret does not belong into the file')
      .transform((text) => text.slice('env:'.length))
      .optional(),
    scopes: z
      .array(scope)
      .default(['openid'])
      .refine((scopes) => scopes.includes('openid'), 'must hold openid'),
  })
  .transform(({ client_id: clientId, client_secret: secretVariable, scopes }) => ({
    clientId,
    secretVariable,
    scopes,
  }));

const entry = z
  .strictObject({
    display_name: text.max(NAME_CHARS_MAX),
    issuer,
    audience: text,
    algorithms: z
      .array(z.enum(ALGORITHMS))
      .min(1)
      .default([...DEFAULT_ALGORITHMS]),
    user_id_claim: text.optional(),
    required_scopes: z.array(scope).default([]),
    sign_in: signIn.optional(),
  })
  .refine((file) => file.audience !== file.sign_in?.clientId, {
    path: ['audience'],
    error: 'must not be sign_in.client_id: an ID token would pass for an access token',
  });

/** Id of an issuer. The id is part of addresses, and `password` is the origin of accounts of our own. */
const id = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be a small letter and up to 31 letters, digits, hyphens')
  .refine((id) => id !== 'password', 'may not be password');

const file = z
  .strictObject({ issuers: z.record(id, entry) })
  .transform(({ issuers }): readonly TrustedIssuer[] =>
    Object.entries(issuers).map(([id, { display_name, user_id_claim, ...settings }]) => ({
      id,
      displayName: display_name,
      issuer: settings.issuer,
      audience: settings.audience,
      algorithms: settings.algorithms,
      userIdClaim: user_id_claim,
      requiredScopes: settings.required_scopes,
      signIn: settings.sign_in,
    })),
  )
  .refine((issuers) => new Set(issuers.map(({ issuer }) => issuer)).size === issuers.length, {
    path: ['issuers'],
    error: 'must name each issuer once',
  });

/**
 * Schema of TRUSTED_ISSUERS_FILE, which turns the path into the contents of the file. Mistakes name their field, and no
 * value.
 */
export const trustedIssuers = z.string().transform((path, context): readonly TrustedIssuer[] => {
  const refuse = (message: string) => {
    context.addIssue(message);
    return z.NEVER;
  };
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return refuse(`${path} cannot be read (${code})`);
  }
  let found: unknown;
  try {
    found = parse(content, { maxAliasCount: 0 });
  } catch {
    return refuse(`${path} is not YAML`);
  }
  const { data, error } = file.safeParse(found);
  if (data !== undefined) return data;
  const mistakes = error.issues.map(
    (issue) => `${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`,
  );
  return refuse(`${path} is not usable: ${mistakes.join('; ')}`);
});
