import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ClientCredential } from '@junction/client-credentials';
import { z } from 'zod';
import { usage } from './failure.js';

export const SERVICES = ['auth', 'integrations', 'webhooks'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** The service a token is for (RFC 8707 calls it the resource). */
export const AUDIENCES: Readonly<Record<ServiceName, string>> = {
  auth: 'auth',
  integrations: 'integrations',
  webhooks: 'webhook-dispatcher',
};

export interface Settings {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly credential: ClientCredential;
  /** host:port of the service's gRPC server. */
  readonly address: string;
  /** Without TLS; only for development. */
  readonly plaintext: boolean;
  /** File of the trusted authorities; absent: those of the system. */
  readonly caFile?: string;
  /** The client's certificate, for a service that asks for one, and the certificate's key. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

const privateJwk = z.looseObject({ kty: z.string(), alg: z.string() });
const client = z.object({ client_id: z.string(), client_secret: z.string() });
const endpointsFile = z.object({
  gateway: z.url(),
  grpc: z.object({ auth: z.string(), integrations: z.string(), webhooks: z.string() }),
  operator: client,
});

const ADDRESS_VARIABLES: Readonly<Record<ServiceName, string>> = {
  auth: 'AUTH_GRPC_ADDRESS',
  integrations: 'INTEGRATIONS_GRPC_ADDRESS',
  webhooks: 'WEBHOOKS_GRPC_ADDRESS',
};

/**
 * Returns the address and the credentials of a service: from the environment when it names a service account,
 * otherwise from the file that `npm start` wrote in this checkout.
 * @throws Failure (usage) that names what is missing
 */
export function settingsOf(env: NodeJS.ProcessEnv, cwd: string, service: ServiceName): Settings {
  if (env['JUNCTION_CLIENT_ID']) return fromEnvironment(env, service);
  const file = endpointsPath(env, cwd);
  if (file === undefined) {
    throw usage(
      'There is nobody to ask. Either run npm start and call this inside its checkout, or set ' +
        `JUNCTION_CLIENT_ID, JUNCTION_CLIENT_SECRET, JUNCTION_TOKEN_URL and ${ADDRESS_VARIABLES[service]}.`,
    );
  }
  return fromCheckout(file, env, service);
}

function fromEnvironment(env: NodeJS.ProcessEnv, service: ServiceName): Settings {
  const proof = env['JUNCTION_CLIENT_KEY_FILE'] ? 'JUNCTION_ISSUER' : 'JUNCTION_CLIENT_SECRET';
  const names = [proof, 'JUNCTION_TOKEN_URL', ADDRESS_VARIABLES[service]];
  const missing = names.filter((name) => !env[name]);
  if (missing.length > 0) throw usage(`Beside JUNCTION_CLIENT_ID set ${missing.join(' and ')}.`);

  const plaintext = env['GRPC_PLAINTEXT'] === 'true';
  const tokenUrl = env['JUNCTION_TOKEN_URL'] ?? '';
  const isOpen = plaintext || !tokenUrl.startsWith('https://');
  if (isOpen && env['JUNCTION_ENV'] !== 'development') {
    throw usage(
      'GRPC_PLAINTEXT and a token URL without https:// would show the secret to the network. ' +
        'They are allowed with JUNCTION_ENV=development only.',
    );
  }
  return {
    tokenUrl,
    clientId: env['JUNCTION_CLIENT_ID'] ?? '',
    credential: credentialOf(env),
    address: env[ADDRESS_VARIABLES[service]] ?? '',
    plaintext,
    ...tlsFiles(env),
  };
}

const tlsFiles = ({
  GRPC_TLS_CA_FILE: caFile,
  GRPC_TLS_CERT_FILE: certFile,
  GRPC_TLS_KEY_FILE: keyFile,
}: NodeJS.ProcessEnv): Pick<Settings, 'caFile' | 'certFile' | 'keyFile'> => ({
  ...(caFile && { caFile }),
  ...(certFile && { certFile }),
  ...(keyFile && { keyFile }),
});

/** A private key in place of the secret: a file with a JWK. */
function credentialOf(env: NodeJS.ProcessEnv): ClientCredential {
  const file = env['JUNCTION_CLIENT_KEY_FILE'];
  if (!file) return { secret: env['JUNCTION_CLIENT_SECRET'] ?? '' };
  try {
    const privateKey = privateJwk.parse(JSON.parse(readFileSync(file, 'utf8')));
    return { privateKey, issuer: env['JUNCTION_ISSUER'] ?? '' };
  } catch {
    throw usage(
      `JUNCTION_CLIENT_KEY_FILE names ${file}, which holds no private key with alg (JWK).`,
    );
  }
}

/** `endpoints.json` of JUNCTION_DATA_DIR, or of the nearest `.junction` from here upwards. */
function endpointsPath(env: NodeJS.ProcessEnv, cwd: string): string | undefined {
  if (env['JUNCTION_DATA_DIR']) {
    const file = path.resolve(cwd, env['JUNCTION_DATA_DIR'], 'endpoints.json');
    return existsSync(file) ? file : undefined;
  }
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    const file = path.join(folder, '.junction', 'endpoints.json');
    if (existsSync(file)) return file;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** Returns the URL of this checkout's product, if there is one. */
export function gatewayOf(env: NodeJS.ProcessEnv, cwd: string): string | undefined {
  const file = endpointsPath(env, cwd);
  return file === undefined ? undefined : readEndpoints(file).gateway;
}

function fromCheckout(file: string, env: NodeJS.ProcessEnv, service: ServiceName): Settings {
  const { gateway, grpc, operator } = readEndpoints(file);
  return {
    tokenUrl: new URL('/oauth/token', gateway).href,
    clientId: operator.client_id,
    credential: { secret: operator.client_secret },
    address: grpc[service],
    // Services of npm start serve without TLS on this machine, unless GRPC_PLAINTEXT is false.
    plaintext: env['GRPC_PLAINTEXT'] !== 'false',
    ...tlsFiles(env),
  };
}

function readEndpoints(file: string): z.infer<typeof endpointsFile> {
  try {
    return endpointsFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? `: ${String(cause.code)}` : '';
    throw usage(`${file} cannot be read, or is not what npm start writes${why}.`);
  }
}
