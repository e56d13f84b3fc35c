import { randomBytes, randomUUID } from 'node:crypto';
import { migrate } from '@junction/eventsourcing-postgres';
import { type TestDatabase, useDatabase } from '@junction/testing';
import { keyRing, subjectVault } from '@junction/vault';
import { migrations } from '../migrations/index.js';
import { postgresAuthorizations } from '../src/adapters/postgres/authorizations.js';
import { postgresChecks } from '../src/adapters/postgres/checks.js';
import { connectionStore } from '../src/adapters/postgres/connection-store.js';
import { postgresConnections } from '../src/adapters/postgres/connections.js';
import { sealedCredentials } from '../src/adapters/postgres/credentials.js';
import { refreshQueue } from '../src/adapters/postgres/due-refreshes.js';
import { forgetUsers } from '../src/adapters/postgres/forget-users.js';
import { postgresRefreshes } from '../src/adapters/postgres/refreshes.js';
import { revocationQueue } from '../src/adapters/postgres/revocation-queue.js';
import { postgresSecurityEvents } from '../src/adapters/postgres/security-events.js';
import type { Grant } from '../src/application/needs.js';

const HOUR_MS = 3_600_000;
export const RING_TEXT = `k1:${randomBytes(32).toString('base64url')}`;
const RING = keyRing(RING_TEXT);

/** The adapters on a database of the test file's own. */
export function useAdapters() {
  const database = useDatabase({
    template: 'integrations',
    migrate: (url) => migrate(url, migrations),
  });
  return () => adaptersOn(database());
}

const log = { error() {} };

function adaptersOn({ pool }: TestDatabase) {
  const vault = subjectVault({ pool, ring: RING });
  const store = connectionStore({ pool, vault, onError: () => undefined });
  const queue = revocationQueue({ pool, ring: RING, store, log });
  const credentials = sealedCredentials({ vault, queue, chance: Math.random, log });
  const written = { pool, store, credentials, afterCommit: () => {} };
  return {
    pool,
    vault,
    store,
    credentials,
    queue,
    authorizations: postgresAuthorizations(pool, RING),
    connections: postgresConnections(written),
    refreshes: postgresRefreshes(written),
    dueRefreshes: refreshQueue(pool),
    checks: postgresChecks(written),
    securityEvents: postgresSecurityEvents(written),
    forget: forgetUsers({ store, credentials, vault }),
  };
}

/** Tokens like no others, for the account of a user. */
export const newGrant = (changes: Partial<Grant> = {}): Grant => ({
  accessToken: `at ${randomUUID()}`,
  refreshToken: `rt ${randomUUID()}`,
  expiresAt: new Date(Date.now() + HOUR_MS),
  scopes: { grantedScopes: ['mailbox.readonly'], missingScopes: ['mailbox.send'] },
  account: 'ada@example.com',
  accountId: 'account-1',
  ...changes,
});
