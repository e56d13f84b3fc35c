import { repeat } from '@junction/async';
import { type Meter, type Runtime } from '@junction/service-kit';
import { CHECK_EVERY_MS, checker } from './application/check.js';
import type { Ports } from './application/ports.js';
import type { Refresher } from './application/refresh.js';
import { PROVIDERS } from './domain/connection/events.js';

const SECOND_MS = 1_000;
const SWEEP_EVERY_MS = 4 * SECOND_MS;
/** They are checked with the commit that suspects them; this is for a wake that was lost. */
const SUSPECTED_EVERY_MS = 5 * SECOND_MS;

/** Asks the providers about connections; gives what wakes the asking about suspected ones. */
export function keepChecking(
  ports: Ports,
  refreshing: Refresher,
  meter: Meter,
  { log, closing }: Runtime,
): () => void {
  const onError = (error: unknown) => log.warn({ err: error }, 'checking connections failed');
  const { sweep, checkSuspected, stop } = checker(ports, refreshing);
  const sweepSome = async () => {
    if (await sweep()) sweeping.wake();
  };
  const sweeping = repeat(SWEEP_EVERY_MS, sweepSome, onError);
  const suspecting = repeat(SUSPECTED_EVERY_MS, checkSuspected, onError);
  for (const one of [sweeping, suspecting]) {
    const close = async () => {
      stop();
      await one.stop();
    };
    closing.add('checking', one, close, { atOnce: true });
  }

  const asked = PROVIDERS.filter((name) => ports.providers.get(name)?.introspectionsPerS);
  meter.gauge(
    'connection_check_delay_seconds',
    'How long a revocation at the provider can stay unnoticed now, if no other sign of it comes.',
    ['provider'],
    async () =>
      Promise.all(
        asked.map(async (provider) => ({
          value: (CHECK_EVERY_MS + (await ports.checks.overdueMs(provider))) / SECOND_MS,
          labels: { provider },
        })),
      ),
  );
  return () => suspecting.wake();
}
