import type { Event } from '@junction/eventsourcing';
import {
  databaseConfig,
  type Host,
  logger,
  type Runtime,
  runProcess,
  tellMistakes,
} from '../process/index.js';
import { startConsumers } from './consumers.js';
import { openPlatform } from './open-platform.js';
import type { PlatformConfig } from './platform.js';
import { finishRestoreOf } from './postgres/finish-restore.js';
import { ownerOf } from './postgres/owner-of.js';
import { migrateWhenThere } from './postgres/waiting.js';
import { openServers } from './servers.js';
import type { ServiceDefinition } from './service.js';

const POSTGRES_PORT = 5_432;

/**
 * Runs a service as this process. Without a command, it serves until SIGTERM or SIGINT. `check` says whether the
 * service could start with this environment, `doctor` what is wrong with its surroundings, `migrate` brings its
 * database up to date, and `finish-restore` makes a restored database fit to go on. main.ts passes `process`.
 */
export const runService = async <Config extends PlatformConfig, E extends Event>(
  service: ServiceDefinition<Config, E>,
  host: Host,
): Promise<void> =>
  runProcess(
    {
      ...service,
      servers: serversOf,
      serve: async (config, runtime) => serve(service, config, runtime),
      jobs: {
        config: databaseConfig(service.databaseVariable),
        servers: serversOf,
        commands: {
          migrate: async ({ databaseUrl }, log) => {
            const owner = ownerOf(service.name);
            const ran = await migrateWhenThere(databaseUrl, service.migrations, owner, log);
            log.info({ migrations: ran }, 'schema is up to date');
          },
          'finish-restore': async ({ databaseUrl }, log) =>
            finishRestoreOf(service, databaseUrl, log),
        },
      },
      commands: {
        doctor: async (config) => {
          if (await tellMistakes(service, host)) return 1;
          const write = (text: string) => void host.stdout.write(text);
          return service.operations.doctor(service, config, {
            log: logger(service.name, 'silent'),
            write,
          });
        },
      },
    },
    host,
  );

/** Returns the servers that may be away, as the log names them. */
function serversOf({ databaseUrl }: Pick<PlatformConfig, 'databaseUrl'>) {
  const { hostname, port } = new URL(databaseUrl);
  return new Map<string | number, string>([
    [Number(port || POSTGRES_PORT), 'Postgres'],
    [hostname, 'Postgres'],
    ['gRPC', 'auth'],
  ]);
}

/** Opens everything in the order in which one thing needs another. Closing goes in reverse. */
async function serve<Config extends PlatformConfig, E extends Event>(
  service: ServiceDefinition<Config, E>,
  config: Config,
  runtime: Runtime,
): Promise<void> {
  const opened = await openPlatform(service, config, runtime);
  const parts = await service.parts(opened.platform);
  const consumers = await startConsumers(service, parts, opened.platform);
  await openServers(service, parts, { ...opened, consumers, runtime });
}
