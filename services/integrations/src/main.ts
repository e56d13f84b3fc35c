import { migrate } from '@junction/eventsourcing-postgres';
import { finishRestoreOf, runService } from '@junction/service-kit';
import { migrations } from '../migrations/index.js';
import { compose } from './compose.js';
import { loadConfig } from './config.js';

await runService({
  name: 'integrations',
  env: process.env,
  argv: process.argv.slice(2),
  config: loadConfig,
  logFields: ['credential_version'],
  compose,
  migrate: async ({ databaseUrl }, log) => {
    const ran = await migrate(databaseUrl, migrations);
    log.info({ migrations: ran }, 'schema is up to date');
  },
  finishRestore: ({ databaseUrl }, log) => finishRestoreOf('integrations', databaseUrl, log),
});
