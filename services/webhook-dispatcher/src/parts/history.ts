import { makeDailyPartitions } from '../adapters/postgres/daily-partitions.js';
import { deliveryLog } from '../adapters/postgres/history/delivery-log.js';
import { eventLog } from '../adapters/postgres/history/event-log.js';
import { purgePartitions, purgeRows } from '../adapters/postgres/privacy/purge.js';
import type { DispatcherPlatform, Tables } from './tables.js';

const SECOND_MS = 1_000;

/** Makes the days to come, and deletes those that are over. */
export function startHistory(
  { config, pool, maintenance, log, job }: DispatcherPlatform,
  { openSealed }: Tables,
) {
  job('daily partitions', 3_600 * SECOND_MS, async () => void (await makeDailyPartitions(pool)));
  job('retention', 600 * SECOND_MS, async () => {
    const dropped = await purgePartitions(maintenance, config.retention);
    if (dropped.length > 0) log.info({ partitions: dropped }, 'days are over');
    await purgeRows(pool, config.retention);
  });
  return { deliveries: deliveryLog(pool, openSealed), events: eventLog(pool) };
}
