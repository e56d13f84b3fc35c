import path from 'node:path';
import type { Ports } from '../preflight/settings.mjs';
import {
  clientIdOf,
  IDENTITY_PROVIDERS,
  type IdentityProvider,
  KINDS,
  type Kind,
  type Secrets,
  type ServiceName,
} from './secrets.js';

/** The values that the environments of all children are made from. */
export interface World {
  readonly root: string;
  readonly dataDir: string;
  readonly ports: Ports;
  readonly secrets: Secrets;
  readonly databaseUrls: Readonly<Record<ServiceName, string>>;
  readonly kafkaBrokers: string;
  readonly serviceAccountsFile: string;
  /** Absent while the environment is only judged: nothing is written by then. */
  readonly trustedIssuersFile?: string;
  /** The environment of `npm start` itself. */
  readonly outer: NodeJS.ProcessEnv;
}

type Environment = Readonly<Record<string, string>>;

const loopback = (port: number) => `http://127.0.0.1:${port}`;

/** Addresses the world sees and the services use among each other. */
export const addresses = ({ ports }: Pick<World, 'ports'>) => ({
  gateway: `http://localhost:${ports.GATEWAY_PORT}`,
  providers: {
    acme: `http://localhost:${ports.ACME_PORT}`,
    globex: `http://localhost:${ports.GLOBEX_PORT}`,
  },
  /** The page that shows what was mailed. */
  mail: loopback(ports.DEV_MAIL_PORT),
  http: {
    auth: loopback(ports.AUTH_HTTP_PORT),
    integrations: loopback(ports.INTEGRATIONS_HTTP_PORT),
    webhooks: loopback(ports.WEBHOOKS_HTTP_PORT),
  },
  grpc: {
    auth: `127.0.0.1:${ports.AUTH_GRPC_PORT}`,
    integrations: `127.0.0.1:${ports.INTEGRATIONS_GRPC_PORT}`,
    webhooks: `127.0.0.1:${ports.WEBHOOKS_GRPC_PORT}`,
  },
});

function common(world: World): Environment {
  const { gateway, http, grpc } = addresses(world);
  return {
    JUNCTION_ENV: 'development',
    PUBLIC_URL: gateway,
    STOP_DELAY_MS: '0', // no other replica takes over, so nobody has to notice the stop first
    ...(world.trustedIssuersFile && { TRUSTED_ISSUERS_FILE: world.trustedIssuersFile }),
    ...definedOf(world.outer),
    KAFKA_BROKERS: world.kafkaBrokers,
    AUTH_JWKS_URL: `${http.auth}/.well-known/jwks.json`,
    AUTH_TOKEN_URL: `${http.auth}/oauth/token`,
    AUTH_GRPC_ADDRESS: grpc.auth,
  };
}

export const kafkaEnvironment = (world: World): Environment => ({
  JUNCTION_ENV: 'development',
  ...definedOf(world.outer),
  KAFKA_BROKERS: world.kafkaBrokers,
});

export const authEnvironment = (world: World): Environment => ({
  SMTP_URL: `smtp://127.0.0.1:${world.ports.DEV_SMTP_PORT}`,
  ...common(world),
  AUTH_DATABASE_URL: world.databaseUrls.auth,
  VAULT_KEYS: world.secrets.vaults.auth,
  HTTP_PORT: String(world.ports.AUTH_HTTP_PORT),
  GRPC_PORT: String(world.ports.AUTH_GRPC_PORT),
  SERVICE_ACCOUNTS_FILE: world.serviceAccountsFile,
});

export const integrationsEnvironment = (world: World): Environment => ({
  PROVIDERS_FILE: path.join(world.root, 'infra/providers.development.yaml'),
  ACME_ISSUER: addresses(world).providers.acme,
  GLOBEX_ISSUER: addresses(world).providers.globex,
  ...common(world),
  // When the user has a providers file, the client secrets in it are the user's own, too.
  ...(world.outer['PROVIDERS_FILE'] ? {} : providerClients(world)),
  INTEGRATIONS_DATABASE_URL: world.databaseUrls.integrations,
  VAULT_KEYS: world.secrets.vaults.integrations,
  HTTP_PORT: String(world.ports.INTEGRATIONS_HTTP_PORT),
  GRPC_PORT: String(world.ports.INTEGRATIONS_GRPC_PORT),
  SERVICE_CLIENT_ID: clientIdOf('integrations'),
  SERVICE_CLIENT_SECRET: world.secrets.clients.integrations,
});

export const webhooksEnvironment = (world: World): Environment => ({
  EVENT_TYPES_FILE: path.join(world.root, 'infra/event-types/event-types.yaml'),
  ...common(world),
  WEBHOOKS_DATABASE_URL: world.databaseUrls.webhooks,
  VAULT_KEYS: world.secrets.vaults.webhooks,
  HTTP_PORT: String(world.ports.WEBHOOKS_HTTP_PORT),
  GRPC_PORT: String(world.ports.WEBHOOKS_GRPC_PORT),
  SERVICE_CLIENT_ID: clientIdOf('webhook-dispatcher'),
  SERVICE_CLIENT_SECRET: world.secrets.clients['webhook-dispatcher'],
});

export function providerEnvironment(world: World, id: IdentityProvider): Environment {
  const { gateway, providers } = addresses(world);
  return {
    ...definedOf(world.outer),
    PROVIDER_PROFILE: id,
    PROVIDER_PORT: new URL(providers[id]).port,
    PROVIDER_ISSUER: providers[id],
    PROVIDER_CONTROL: 'true',
    PROVIDER_DATA_FILE: path.join(world.dataDir, `provider-${id}.json`),
    MAILBOX_CLIENT_SECRET: clientSecret(world, id, 'mailbox'),
    CALENDAR_CLIENT_SECRET: clientSecret(world, id, 'calendar'),
    MAILBOX_REDIRECT_URI: `${gateway}/connect/${id}/mailbox/callback`,
    CALENDAR_REDIRECT_URI: `${gateway}/connect/${id}/calendar/callback`,
    SIGN_IN_REDIRECT_URI: `${gateway}/api/auth/sign-in/${id}/callback`,
    MAILBOX_EVENTS_URI: `${gateway}/api/integrations/${id}/mailbox/security-events`,
    CALENDAR_EVENTS_URI: `${gateway}/api/integrations/${id}/calendar/security-events`,
  };
}

/** TRUSTED_ISSUERS_FILE: Acme's users come with its tokens, and sign in there. */
export const trustedIssuers = (world: Pick<World, 'ports'>) => ({
  issuers: {
    acme: {
      display_name: 'Acme',
      issuer: addresses(world).providers.acme,
      audience: 'junction-api',
      required_scopes: ['junction'],
      sign_in: { client_id: 'junction-sign-in', scopes: ['openid', 'junction'] },
    },
  },
});

export const mailEnvironment = ({ ports, outer }: World): Environment => ({
  ...definedOf(outer),
  DEV_SMTP_PORT: String(ports.DEV_SMTP_PORT),
  DEV_MAIL_PORT: String(ports.DEV_MAIL_PORT),
});

export function gatewayEnvironment(world: World): Environment {
  const { http } = addresses(world);
  return {
    ...definedOf(world.outer),
    GATEWAY_PORT: String(world.ports.GATEWAY_PORT),
    AUTH_HTTP_URL: http.auth,
    INTEGRATIONS_HTTP_URL: http.integrations,
    WEBHOOKS_HTTP_URL: http.webhooks,
  };
}

/** Our two clients at each development provider. */
const providerClients = (world: World): Environment =>
  Object.fromEntries(
    IDENTITY_PROVIDERS.flatMap((id) =>
      KINDS.map((kind) => [secretVariable(id, kind), clientSecret(world, id, kind)]),
    ),
  );

const clientSecret = ({ secrets, outer }: World, id: IdentityProvider, kind: Kind): string =>
  outer[secretVariable(id, kind)] ?? secrets.providers[id][kind];

const secretVariable = (id: IdentityProvider, kind: Kind): string =>
  `${id}_${kind}_CLIENT_SECRET`.toUpperCase();

const definedOf = (env: NodeJS.ProcessEnv): Environment =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
