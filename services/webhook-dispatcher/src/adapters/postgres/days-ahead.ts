import { type Check, warning } from '@junction/operations';
import type pg from 'pg';
import { missingDays } from './daily-partitions.js';

/** Checks that there are partitions for the days to come. */
export const daysAhead = (pool: pg.Pool): Check => ({
  name: 'days ahead',
  needs: ['migrations'],
  remedy: 'Run `migrate`, then start the service.',
  async look() {
    const missing = await missingDays(pool);
    if (missing.length === 0) return 'Partitions of today and the next two days are there.';
    const found = `${missing.length} partitions of the next days are missing: ${missing.join(', ')}.`;
    return [warning(found, 'Start the service, which makes them at once and each hour.')];
  },
});
