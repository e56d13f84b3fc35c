import { z } from 'zod';
import { PROVIDERS, type Provider } from '../../domain/connection/events.js';

const MAX_PER_S = 10_000;

/** How one provider is talked to. `infra/providers.example.yaml` explains every field. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Ours: the provider's. */
  readonly scopes: Readonly<Record<string, string>>;
  readonly extraScopes: readonly string[];
  readonly authorizationParams: Readonly<Record<string, string>>;
  readonly revocation: 'rfc7009' | 'none';
  readonly separateGrants: boolean;
  /** Who sends security events, and whose keys sign them. Undefined: none are taken. */
  readonly securityEvents: SecurityEventSettings | undefined;
  /** How often it may be asked whether tokens are good (RFC 7662). Undefined: it can't be asked. */
  readonly introspectionsPerS: number | undefined;
}

export interface SecurityEventSettings {
  readonly issuer: string;
  readonly jwksUri: string;
}

export type ProvidersSettings = { readonly [Name in Provider]?: ProviderSettings | undefined };

/** What every connection of a kind can be allowed, in our names. */
const OUR_SCOPES: Readonly<Record<Provider, readonly string[]>> = {
  mailbox: ['mailbox.readonly', 'mailbox.send', 'mailbox.modify'],
  calendar: ['calendar.readonly', 'calendar.events'],
};

/** Set by us for each authorization; a provider's file may not touch them. */
const OUR_PARAMS = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
];

const text = z.string().min(1);
/** A scope is one word (RFC 6749, section 3.3). */
const scopeName = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one word');

/** The whole file, its `env:NAME` values already replaced. */
export const providersSchema = (allowHttp: boolean) =>
  z
    .strictObject({ providers: z.strictObject(shapes(allowHttp)) })
    .transform(({ providers }) => providers)
    .refine((providers) => PROVIDERS.some((name) => providers[name]), {
      path: ['providers'],
      error: `must hold at least one of ${PROVIDERS.join(', ')}`,
    })
    .refine(({ mailbox, calendar }) => !mailbox || !calendar || !isSameClient(mailbox, calendar), {
      path: ['providers', 'calendar', 'client_id'],
      error: 'must be another client than that of mailbox: revoking one could end both',
    });

const isSameClient = (one: ProviderSettings, other: ProviderSettings): boolean =>
  one.issuer === other.issuer && one.clientId === other.clientId;

const shapes = (allowHttp: boolean) => ({
  mailbox: settings('mailbox', allowHttp).optional(),
  calendar: settings('calendar', allowHttp).optional(),
});

const settings = (name: Provider, allowHttp: boolean) =>
  z
    .strictObject({
      issuer: issuer(allowHttp),
      client_id: text,
      client_secret: text,
      scopes: scopes(OUR_SCOPES[name]),
      extra_scopes: z
        .array(scopeName)
        .refine((extra) => extra.includes('openid'), 'must hold openid'),
      authorization_params: z
        .record(z.string(), z.string())
        .default({})
        .refine(
          (params) => !OUR_PARAMS.some((name) => Object.hasOwn(params, name)),
          `may not set ${OUR_PARAMS.join(', ')}`,
        ),
      revocation: z.enum(['rfc7009', 'none']),
      separate_grants: z.boolean().default(false),
      security_events: z.union([z.literal('none'), securityEvents(allowHttp)]).default('none'),
      introspection: z.union([
        z.literal('none'),
        z.strictObject({ max_per_s: z.number().positive().max(MAX_PER_S) }),
      ]),
    })
    .transform(
      (file): ProviderSettings => ({
        issuer: file.issuer,
        clientId: file.client_id,
        clientSecret: file.client_secret,
        scopes: file.scopes,
        extraScopes: file.extra_scopes,
        authorizationParams: file.authorization_params,
        revocation: file.revocation,
        separateGrants: file.separate_grants,
        securityEvents: securityEventsOf(file.issuer, file.security_events),
        introspectionsPerS:
          file.introspection === 'none' ? undefined : file.introspection.max_per_s,
      }),
    );

const issuer = (allowHttp: boolean) =>
  z
    .url({ protocol: /^https?$/, error: 'must be an https URL' })
    .refine(
      (url) => allowHttp || !url.startsWith('http:'),
      'must be https:// (http:// needs ALLOW_HTTP_ISSUER=true)',
    );

const securityEvents = (allowHttp: boolean) =>
  z.strictObject({
    issuer: issuer(allowHttp).optional(),
    jwks_uri: z.union([
      z.string().regex(/^\/[^/]/, 'must be an https URL or a path'),
      issuer(allowHttp),
    ]),
  });

/** Keys at the issuer may be named by their path. */
const securityEventsOf = (
  issuer: string,
  file: 'none' | { readonly issuer?: string | undefined; readonly jwks_uri: string },
): SecurityEventSettings | undefined =>
  file === 'none'
    ? undefined
    : { issuer: file.issuer ?? issuer, jwksUri: new URL(file.jwks_uri, issuer).href };

const scopes = (ours: readonly string[]) =>
  z
    .record(z.string(), scopeName)
    .refine(
      (names) => Object.keys(names).every((scope) => ours.includes(scope)),
      `may name only ${ours.join(', ')}`,
    )
    .refine((names) => Object.keys(names).length > 0, 'must name at least one scope');
