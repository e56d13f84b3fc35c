import { migrate } from '@junction/eventsourcing-postgres';
import { finishRestoreOf, runService } from '@junction/service-kit';
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

await runService({
  name: 'integrations',
  env: process.env,
  argv: process.argv.slice(2),
  config: loadConfig,
  closeMaxMs: CLOSE_MAX_MS,
  logFields: ['credential_version', 'issuer', 'found_issuer'],
  compose,
  migrate: async ({ databaseUrl }, log) => {
    const ran = await migrate(databaseUrl, migrations);
    log.info({ migrations: ran }, 'schema is up to date');
  },
  finishRestore: ({ databaseUrl }, log) => finishRestoreOf('integrations', databaseUrl, log),
});
