import path from 'node:path';
import type { Ground } from './backends.js';
import {
  addresses,
  authEnvironment,
  gatewayEnvironment,
  integrationsEnvironment,
  kafkaEnvironment,
  mailEnvironment,
  providerEnvironment,
  trustedIssuers,
  type World,
  webhooksEnvironment,
} from './environment.js';
import type { NodeProgram } from './node-child.js';
import {
  IDENTITY_PROVIDERS,
  type ServiceName,
  serviceAccounts,
  writeOwnerOnly,
} from './secrets.js';

/** A program, and where it says with 2xx that it is ready. */
export interface Served {
  readonly child: NodeProgram;
  readonly readyUrl: string;
}

const SERVICES = {
  auth: {
    name: 'auth',
    script: 'services/auth/dist/src/main.js',
    env: authEnvironment,
  },
  integrations: {
    name: 'integrations',
    script: 'services/integrations/dist/src/main.js',
    env: integrationsEnvironment,
  },
  webhooks: {
    name: 'webhook-dispatcher',
    script: 'services/webhook-dispatcher/dist/src/main.js',
    env: webhooksEnvironment,
  },
} as const;

/** Module that starts telemetry. Without OTEL_EXPORTER_OTLP_ENDPOINT it does nothing. */
const TELEMETRY = 'packages/telemetry/dist/register/main.js';

const SERVICE_NAMES = Object.keys(SERVICES) as readonly ServiceName[];

/**
 * Makes the world from which the programs of a folder are started. Writes auth's files: service accounts and
 * issuers.
 */
export function worldOf(
  place: Pick<World, 'root' | 'dataDir' | 'ports' | 'outer'>,
  ground: Ground,
): World {
  const serviceAccountsFile = path.join(place.dataDir, 'service-accounts.json');
  writeOwnerOnly(serviceAccountsFile, serviceAccounts(ground.secrets));
  const trustedIssuersFile = path.join(place.dataDir, 'trusted-issuers.json');
  writeOwnerOnly(trustedIssuersFile, trustedIssuers(place));
  return { ...place, ...ground, serviceAccountsFile, trustedIssuersFile };
}

/** Returns the program that creates the topics. */
export const topicsJob = (world: World): NodeProgram =>
  program(world, 'topics', 'packages/messaging/dist/main.js', kafkaEnvironment(world));

/** Returns the program that creates the tables of a service. */
export function migrationJob(world: World, service: ServiceName): NodeProgram {
  const { child } = serviceProgram(world, service);
  return { ...child, name: `${child.name}-migrate`, args: ['migrate'] };
}

/** Returns the programs that must have ended before anyone reads or writes topics and tables. */
export const preparations = (world: World): readonly NodeProgram[] => [
  topicsJob(world),
  ...SERVICE_NAMES.map((service) => migrationJob(world, service)),
];

export function serviceProgram(world: World, service: ServiceName): Served {
  const { name, script, env } = SERVICES[service];
  const readyUrl = `${addresses(world).http[service]}/internal/health/ready`;
  const child = program(world, name, script, { OTEL_SERVICE_NAME: name, ...env(world) });
  return { child: { ...child, preload: path.join(world.root, TELEMETRY) }, readyUrl };
}

export const providerPrograms = (world: World): readonly Served[] =>
  IDENTITY_PROVIDERS.map((id) => {
    const script = 'packages/dev-servers/dist/provider/main.js';
    const child = program(world, `provider-${id}`, script, providerEnvironment(world, id));
    return { child, readyUrl: `${addresses(world).providers[id]}/health` };
  });

export function mailProgram(world: World): Served {
  const script = 'packages/dev-servers/dist/mail/main.js';
  const child = program(world, 'mail', script, mailEnvironment(world));
  return { child, readyUrl: `${addresses(world).mail}/health` };
}

export function gatewayProgram(world: World): Served {
  const script = 'packages/local-stack/dist/gateway/main.js';
  const child = program(world, 'gateway', script, gatewayEnvironment(world));
  return { child, readyUrl: `${addresses(world).gateway}/.well-known/jwks.json` };
}

/** Everything that serves, besides what it stands on. */
export const served = (world: World): readonly Served[] => [
  ...SERVICE_NAMES.map((service) => serviceProgram(world, service)),
  ...providerPrograms(world),
  mailProgram(world),
  gatewayProgram(world),
];

/** Returns the programs that can check their environment: run with `check` alone, they say whether they could start. */
export const withCheck = (world: World): readonly NodeProgram[] =>
  [
    ...SERVICE_NAMES.map((service) => serviceProgram(world, service)),
    ...providerPrograms(world),
    mailProgram(world),
  ].map(({ child }) => child);

export const logsDirOf = (dataDir: string): string => path.join(dataDir, 'logs');

const program = (
  world: World,
  name: string,
  script: string,
  env: Readonly<Record<string, string>>,
): NodeProgram => ({
  name,
  script: path.join(world.root, script),
  env,
  logsDir: logsDirOf(world.dataDir),
});
