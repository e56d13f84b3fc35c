import { migrate } from '@junction/eventsourcing-postgres';
import { finishRestoreOf } from '@junction/platform/postgres';
import { runProcess } from '@junction/service-kit/process';
import { migrations } from '../migrations/index.js';
import { compose } from './compose.js';
import { loadConfig } from './config.js';

/**
 * A token request that was sent may be answered after 25 s (oauth-provider.ts), and while Postgres is away saving
 * what came in the answer is tried until 58 s after the lease was taken (refreshes.ts): the provider has
 * forgotten the old refresh token by then. The rest is for the relay and what else closes after them. A service
 * that has no such request under way stops as soon as any other.
 */
const CLOSE_MAX_MS = 65_000;

await runProcess(
  {
    name: 'integrations',
    config: loadConfig,
    closeMaxMs: CLOSE_MAX_MS,
    logFields: ['credential_version', 'issuer', 'found_issuer'],
    serve: compose,
    commands: {
      migrate: async ({ databaseUrl }, log) => {
        const ran = await migrate(databaseUrl, migrations);
        log.info({ migrations: ran }, 'schema is up to date');
      },
      'finish-restore': async ({ databaseUrl }, log) =>
        finishRestoreOf('integrations', databaseUrl, log),
    },
  },
  process,
);
