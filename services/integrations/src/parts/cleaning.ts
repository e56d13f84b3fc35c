import { purgeAuthorizations } from '../adapters/postgres/connecting/authorizations.js';
import { purgeSecurityEvents } from '../adapters/postgres/ending/security-events.js';
import { purgeRefreshes } from '../adapters/postgres/refreshing/refreshes.js';
import { revokeDue } from '../application/ending/revoke.js';
import type { Ports } from '../application/ports.js';
import type { IntegrationsPlatform } from './platform.js';

const SECOND_MS = 1_000;

/** Revokes tokens of connections that ended, and purges rows by their age. */
export function startCleaning(platform: IntegrationsPlatform, ports: Ports): void {
  const revoke = revokeDue(ports);
  const revoking = platform.job(
    'revocations',
    SECOND_MS,
    async () => ((await revoke()) > 0 ? 0 : undefined),
    { atOnce: true },
  );
  platform.onCommitted(revoking.wake);

  const { pool } = platform;
  const purge = async () => {
    await purgeAuthorizations(pool);
    await purgeSecurityEvents(pool);
    await purgeRefreshes(pool);
  };
  platform.job('purge', 60 * SECOND_MS, purge, { atOnce: true });
}
