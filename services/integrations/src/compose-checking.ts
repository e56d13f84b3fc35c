import { repeat } from '@junction/async';
import { type Meter, type Runtime } from '@junction/service-kit';
import { CHECK_EVERY_MS, checker } from './application/check.js';
import type { Needs } from './application/needs.js';
import type { Refresher } from './application/refresh.js';
import { PROVIDERS } from './domain/connection/events.js';

const SECOND_MS = 1_000;
const SWEEP_EVERY_MS = 4 * SECOND_MS;
/** Their wake comes with the commit that doubts them; this is for one that was lost. */
const DOUBTED_EVERY_MS = 5 * SECOND_MS;

/** Asks the providers about connections; gives what wakes the asking about doubted ones. */
export function keepChecking(
  needs: Needs,
  refreshing: Refresher,
  meter: Meter,
  { log, closing }: Runtime,
): () => void {
  const onError = (error: unknown) => log.warn({ err: error }, 'checking connections failed');
  const { sweep, checkDoubted, stop } = checker(needs, refreshing);
  const sweepSome = async () => {
    if (await sweep()) sweeping.wake();
  };
  const sweeping = repeat(SWEEP_EVERY_MS, sweepSome, onError);
  const doubting = repeat(DOUBTED_EVERY_MS, checkDoubted, onError);
  for (const one of [sweeping, doubting]) {
    const close = async () => {
      stop();
      await one.stop();
    };
    closing.add('checking', one, close, { atOnce: true });
  }

  const asked = PROVIDERS.filter((name) => needs.providers.get(name)?.introspectionsPerS);
  meter.gauge(
    'connection_check_delay_seconds',
    'How long a revocation at the provider can stay unnoticed now, if no other sign of it comes.',
    ['provider'],
    async () =>
      Promise.all(
        asked.map(async (provider) => ({
          value: (CHECK_EVERY_MS + (await needs.checks.overdueMs(provider))) / SECOND_MS,
          labels: { provider },
        })),
      ),
  );
  return () => doubting.wake();
}
