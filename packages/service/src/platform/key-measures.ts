import { remembered } from '@junction/async';
import type { Meter } from '../process/index.js';

const SECOND_MS = 1_000;
const FRESH_MS = 60 * SECOND_MS;

/**
 * Registers how old the key is that signs now, by what it signs: `signsFrom` gives since when it does. Undefined: none
 * signs.
 */
export function measureKeyAge(
  meter: Meter,
  key: string,
  signsFrom: () => Promise<Date | undefined>,
): void {
  const since = remembered(FRESH_MS, signsFrom);
  meter.gauge(
    'junction_signing_key_age_seconds',
    'For how long the newest key that signs has been signing, by what it signs.',
    ['key'],
    async () => {
      const from = await since();
      return from ? [{ value: (Date.now() - from.getTime()) / SECOND_MS, labels: { key } }] : [];
    },
  );
}
