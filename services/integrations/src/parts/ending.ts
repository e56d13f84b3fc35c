import { CHECK_EVERY_MS, checker } from '../application/ending/check.js';
import type { Ports } from '../application/ports.js';
import type { Refresher } from '../application/refreshing/refresh.js';
import { CLIENT_LABELS, clientLabels } from './client-labels.js';
import type { IntegrationsPlatform } from './platform.js';

const SECOND_MS = 1_000;
const SWEEP_EVERY_MS = 4 * SECOND_MS;
/**
 * Interval of checks of suspected connections, in case a wake was lost: they are checked with the commit that suspects
 * them.
 */
const SUSPECTED_EVERY_MS = 5 * SECOND_MS;

/** Starts the checks of connections: of all in turn, and of suspected ones at once. */
export function startChecking(
  platform: IntegrationsPlatform,
  ports: Ports,
  refresher: Refresher,
): void {
  const { sweep, checkSuspected, stop } = checker(ports, refresher);
  const atOnce = { atOnce: true };
  // Before its jobs: they wait for the checks under way, which this ends.
  platform.closing.add('checker', stop, (stop) => stop(), atOnce);
  const sweepSome = async () => ((await sweep()) ? 0 : undefined);
  platform.job('sweep of connections', SWEEP_EVERY_MS, sweepSome, atOnce);
  const checking = platform.job('suspected', SUSPECTED_EVERY_MS, checkSuspected, atOnce);
  platform.onCommitted(checking.wake);

  const asked = [...ports.providers].filter(([, { introspectionsPerS }]) => introspectionsPerS);
  platform.meter.gauge(
    'junction_connection_check_delay_seconds',
    'How long a revocation at the provider can stay unnoticed now, if no other sign of it comes.',
    CLIENT_LABELS,
    async () =>
      Promise.all(
        asked.map(async ([client]) => ({
          value: (CHECK_EVERY_MS + (await ports.checks.overdueMs(client))) / SECOND_MS,
          labels: clientLabels(client),
        })),
      ),
  );
}
