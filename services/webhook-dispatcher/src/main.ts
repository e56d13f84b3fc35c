import { migrate } from '@junction/eventsourcing-postgres';
import { finishRestoreOf } from '@junction/platform/postgres';
import { runProcess } from '@junction/service-kit/process';
import { migrations } from '../migrations/index.js';
import { compose } from './compose.js';
import { loadConfig } from './config.js';

await runProcess(
  {
    name: 'webhook-dispatcher',
    config: loadConfig,
    serve: compose,
    commands: {
      migrate: async ({ databaseUrl }, log) => {
        const ran = await migrate(databaseUrl, migrations);
        log.info({ migrations: ran }, 'schema is up to date');
      },
      'finish-restore': async ({ databaseUrl }, log) =>
        finishRestoreOf('webhook-dispatcher', databaseUrl, log),
    },
  },
  process,
);
