import { askProvider } from '../application/ending/ask-provider.js';
import { checker } from '../application/ending/check.js';
import { revokeDue } from '../application/ending/revoke.js';
import type { Ports } from '../application/ports.js';
import type { Refresher } from '../application/refreshing/ports.js';
import type { IntegrationsPlatform } from './platform.js';

const SECOND_MS = 1_000;

/** Starts the checks of connections, and the revocations of tokens of those that ended. */
export function startEnding(
  { closing, job, onCommitted }: IntegrationsPlatform,
  ports: Ports,
  refresher: Refresher,
): void {
  const { sweep, checkSuspected, stop } = checker(ports, askProvider(ports, refresher));
  const revoke = revokeDue(ports);
  const atOnce = { atOnce: true };
  // Before its jobs: they wait for the checks under way, which this ends.
  closing.add('checker', stop, (stop) => stop(), atOnce);
  const sweepSome = async () => ((await sweep()) ? 0 : undefined);
  const revokeSome = async () => ((await revoke()) > 0 ? 0 : undefined);
  job('sweep of connections', 4 * SECOND_MS, sweepSome, atOnce);
  // Suspected connections are checked, and tokens revoked, with the commit that says so; the intervals are for a wake
  // that was lost.
  onCommitted(job('suspected', 5 * SECOND_MS, checkSuspected, atOnce).wake);
  onCommitted(job('revocations', SECOND_MS, revokeSome, atOnce).wake);
}
