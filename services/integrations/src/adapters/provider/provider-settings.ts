import { serverUrl } from '@junction/service/process';
import { z } from 'zod';
import { PROVIDERS, type Provider } from '../../domain/connection/events.js';
import {
  AUTH_METHODS,
  type AuthMethod,
  type ClientCredentials,
  OTHER_METHODS,
} from './client-authentication.js';
import { clientSchema, scopeName } from './client-settings.js';

const MAX_PER_S = 10_000;
const NAME_CHARS_MAX = 60;
const ICON_CHARS_MAX = 16 * 1_024;

/** An identity provider of PROVIDERS_FILE. `infra/providers.example.yaml` explains every field. */
export interface IdentityProviderSettings {
  readonly id: string;
  readonly displayName: string;
  readonly icon: string | undefined;
  /** Clients of the kinds that it serves. */
  readonly clients: ReadonlyMap<Provider, ProviderSettings>;
}

/** Settings with which one of our clients talks to its identity provider. */
export interface ProviderSettings extends SharedSettings, ClientCredentials {
  /** Names of scopes: the provider's by ours. */
  readonly scopes: Readonly<Record<string, string>>;
}

interface SharedSettings {
  readonly issuer: string;
  readonly extraScopes: readonly string[];
  readonly authorizationParams: Readonly<Record<string, string>>;
  readonly authMethod: AuthMethod | undefined;
  /** Whether authorization requests are pushed (RFC 9126), also where the provider's description does not want it. */
  readonly pushesAuthorizations: boolean;
  readonly revocation: 'rfc7009' | 'none';
  readonly separateGrants: boolean;
  /** Sender of security events, and the keys that sign them. Undefined: no events are taken. */
  readonly securityEvents: SecurityEventSettings | undefined;
  /** Introspections (RFC 7662) a second that the provider allows. Undefined: the provider offers none. */
  readonly introspectionsPerS: number | undefined;
}

export interface SecurityEventSettings {
  readonly issuer: string;
  readonly jwksUri: string;
}

/** Parameters that we set for each authorization; a provider's file may not touch them. */
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
/** Id of an identity provider. The id is part of addresses, beside the names of kinds. */
const id = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,31}$/,
    'must be a small letter and up to 31 letters, digits and hyphens',
  )
  .refine((id) => !PROVIDERS.some((kind) => kind === id), `may not be ${PROVIDERS.join(' or ')}`);

/** Icon as a data: URI. The pages' Content-Security-Policy lets them load images from nowhere else. */
const icon = z
  .string()
  .regex(/^data:image\/(svg\+xml|png);base64,[A-Za-z0-9+/]+=*$/, {
    error: 'must be a data: URI of an image/svg+xml or image/png in base64',
  })
  .max(ICON_CHARS_MAX);

/** Method of the settings. A method that exists and is not ours is named. */
const authMethod = z.enum(AUTH_METHODS, {
  error: ({ input }) => {
    const other = OTHER_METHODS.find((method) => method === input);
    return `must be ${AUTH_METHODS.join(', ')}${other ? `: there is no ${other} here` : ''}`;
  },
});

const NEW_FORM = `the identity providers stand under identity_providers, each by its id, with its clients by kind:
    identity_providers:
      google:
        display_name: Google
        issuer: https://accounts.google.com
        …
        mailbox: { client_id: …, client_secret: env:…, scopes: { … } }
        calendar: { client_id: …, client_secret: env:…, scopes: { … } }
  (infra/providers.example.yaml has all of it)`;

export interface FileOptions {
  readonly allowHttp: boolean;
  /** Folder that paths in the file are relative to. */
  readonly folder: string;
}

/**
 * Returns the schema of the whole file, with its `env:NAME` values already replaced, in the order in which it was
 * written.
 */
export const providersSchema = (options: FileOptions) =>
  z
    .strictObject({
      providers: z.undefined({ error: NEW_FORM }).optional(),
      identity_providers: z.record(id, identityProvider(options), {
        error: 'must name the identity providers by their ids',
      }),
    })
    .refine((file) => Object.keys(file.identity_providers).length > 0, {
      path: ['identity_providers'],
      error: 'must hold at least one',
    })
    .transform(({ identity_providers }): readonly IdentityProviderSettings[] =>
      Object.entries(identity_providers).map(([id, settings]) => ({ id, ...settings })),
    );

const fileEntry = ({ allowHttp, folder }: FileOptions) =>
  z
    .strictObject({
      display_name: text.max(NAME_CHARS_MAX),
      icon: icon.optional(),
      issuer: issuer(allowHttp),
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
      token_endpoint_auth_method: authMethod.optional(),
      require_pushed_authorization_requests: z.boolean().default(false),
      revocation: z.enum(['rfc7009', 'none']),
      separate_grants: z.boolean().default(false),
      security_events: z.union([z.literal('none'), securityEvents(allowHttp)]).default('none'),
      introspection: z.union([
        z.literal('none'),
        z.strictObject({ max_per_s: z.number().positive().max(MAX_PER_S) }),
      ]),
      mailbox: clientSchema('mailbox', folder).optional(),
      calendar: clientSchema('calendar', folder).optional(),
    })
    .refine((file) => PROVIDERS.some((kind) => file[kind]), {
      error: `must hold at least one of ${PROVIDERS.join(', ')}`,
    })
    .superRefine((file, { addIssue }) => {
      const method = file.token_endpoint_auth_method;
      if (method === undefined) return;
      const needed = method === 'private_key_jwt' ? 'private_key_file' : 'client_secret';
      for (const kind of PROVIDERS) {
        if (file[kind] === undefined || file[kind][needed] !== undefined) continue;
        const message = `must be there for token_endpoint_auth_method: ${method}`;
        addIssue({ code: 'custom', path: [kind, needed], message });
      }
    })
    .refine(({ mailbox, calendar }) => !mailbox || mailbox.client_id !== calendar?.client_id, {
      path: ['calendar', 'client_id'],
      error: 'must be another client than that of mailbox: revoking one could end both',
    });

type FileEntry = z.infer<ReturnType<typeof fileEntry>>;

const identityProvider = (options: FileOptions) =>
  fileEntry(options).transform((file): Omit<IdentityProviderSettings, 'id'> => {
    const shared = sharedIn(file);
    const clients = PROVIDERS.flatMap((kind): readonly [Provider, ProviderSettings][] => {
      const own = file[kind];
      if (own === undefined) return [];
      const { client_id: clientId, client_secret: clientSecret, scopes } = own;
      const credentials = { clientId, clientSecret, clientKey: own.private_key_file };
      return [[kind, { ...shared, ...credentials, scopes }]];
    });
    return { displayName: file.display_name, icon: file.icon, clients: new Map(clients) };
  });

const sharedIn = (file: FileEntry): SharedSettings => ({
  issuer: file.issuer,
  extraScopes: file.extra_scopes,
  authorizationParams: file.authorization_params,
  authMethod: file.token_endpoint_auth_method,
  pushesAuthorizations: file.require_pushed_authorization_requests,
  revocation: file.revocation,
  separateGrants: file.separate_grants,
  securityEvents: securityEventsOf(file.issuer, file.security_events),
  introspectionsPerS: file.introspection === 'none' ? undefined : file.introspection.max_per_s,
});

const issuer = (allowHttp: boolean) =>
  serverUrl(/^https?$/, 'must be an https URL').refine(
    (url) => allowHttp || !url.startsWith('http:'),
    'must be https:// (http:// needs JUNCTION_ENV=development)',
  );

const securityEvents = (allowHttp: boolean) =>
  z.strictObject({
    issuer: issuer(allowHttp).optional(),
    jwks_uri: z.union([
      z.string().regex(/^\/[^/]/, 'must be an https URL or a path'),
      issuer(allowHttp),
    ]),
  });

/** Returns the settings of security events. Keys at the issuer may be named by their path. */
const securityEventsOf = (
  issuer: string,
  file: 'none' | { readonly issuer?: string | undefined; readonly jwks_uri: string },
): SecurityEventSettings | undefined =>
  file === 'none'
    ? undefined
    : { issuer: file.issuer ?? issuer, jwksUri: new URL(file.jwks_uri, issuer).href };
