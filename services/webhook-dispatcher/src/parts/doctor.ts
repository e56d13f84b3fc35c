import { authChecks, type Check, warning } from '@junction/service';
import type pg from 'pg';
import { missingDays } from '../adapters/postgres/daily-partitions.js';
import type { Config } from '../config.js';

/** Checks what webhook-dispatcher needs besides the platform: auth, and partitions for the days to come. */
export const doctorChecks = (config: Config, pool: pg.Pool): readonly Check[] => [
  ...authChecks(config),
  {
    name: 'days ahead',
    needsDatabase: true,
    remedy: 'Run `migrate`, then start the service.',
    async look() {
      const missing = await missingDays(pool);
      if (missing.length === 0) return 'Partitions of today and the next two days are there.';
      const found = `${missing.length} partitions of the next days are missing: ${missing.join(', ')}.`;
      return [warning(found, 'Start the service, which makes them at once and each hour.')];
    },
  },
];
