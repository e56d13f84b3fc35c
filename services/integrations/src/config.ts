import {
  authClientEnvironment,
  commonConfig,
  commonEnvironment,
  databaseUrlFile,
  flag,
  parseConfig,
  port,
  postgresUrl,
  trusting,
} from '@junction/service/process';
import { z } from 'zod';
import { returnToList } from './return-to-list.js';

const HTTP_PORT = 7_002;
const GRPC_PORT = 7_102;

/** Each variable with its meaning, as docs/configuration.md has it. */
export const settings = z.object({
  ...commonEnvironment,
  ...authClientEnvironment,
  HTTP_PORT: port.default(HTTP_PORT).describe('port of HTTP'),
  GRPC_PORT: port.default(GRPC_PORT).describe('port of gRPC'),
  INTEGRATIONS_DATABASE_URL: postgresUrl.describe('postgres:// URL of its own database'),
  INTEGRATIONS_DATABASE_URL_FILE: databaseUrlFile,
  PROVIDERS_FILE: z
    .string()
    .describe('YAML: the identity providers; infra/providers.example.yaml explains it'),
  CONNECT_RETURN_TO: returnToList.describe(
    'addresses, comma-separated, that users may be brought back to with the answer of a provider, compared to the letter',
  ),
  TOKENS_THROUGH_GATEWAY: flag.describe(
    'true: workers may ask for tokens at /api/integrations/tokens of the gateway too, with their service tokens',
  ),
});

const environment = settings.transform((env) => ({
  ...commonConfig(env),
  databaseUrl: trusting(env.INTEGRATIONS_DATABASE_URL, env.DATABASE_TLS_CA_FILE),
  databaseUrlFile: env.INTEGRATIONS_DATABASE_URL_FILE,
  providersFile: env.PROVIDERS_FILE,
  returnTo: env.CONNECT_RETURN_TO,
  tokensThroughGateway: env.TOKENS_THROUGH_GATEWAY,
  auth: {
    jwksUrl: env.AUTH_JWKS_URL,
    tokenUrl: env.AUTH_TOKEN_URL,
    grpcAddress: env.AUTH_GRPC_ADDRESS,
    clientId: env.SERVICE_CLIENT_ID,
    clientSecret: env.SERVICE_CLIENT_SECRET,
  },
}));

export interface Config extends Omit<Readonly<z.infer<typeof environment>>, 'providersFile'> {
  readonly providers: {
    readonly path: string;
    /** Returns the value of `env:NAME` in the file. */
    readonly variable: (name: string) => string | undefined;
    readonly allowHttp: boolean;
  };
}

/** Names every mistake at once. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const { providersFile: path, ...config } = parseConfig(environment, env);
  const variable = (name: string) => env[name];
  return { ...config, providers: { path, variable, allowHttp: config.allowHttpIssuer } };
}
