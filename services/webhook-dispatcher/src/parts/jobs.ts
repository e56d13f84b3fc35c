import { makeDailyPartitions } from '../adapters/postgres/daily-partitions.js';
import { purgePartitions, purgeRows } from '../adapters/postgres/privacy/purge.js';
import { deletedUserRows } from '../adapters/postgres/privacy/user-rows.js';
import { purgeExpiredSecrets } from '../adapters/postgres/webhooks/webhook-secrets.js';
import type { Ports } from '../application/ports.js';
import { deleteUserRows } from '../application/privacy/delete-user-rows.js';
import { deleteUsers } from '../application/privacy/delete-users.js';
import { redactUserPayloads } from '../application/privacy/redact-user-payloads.js';
import { disableFailing } from '../application/webhooks/disable-failing.js';
import type { DispatcherPlatform, Tables } from './tables.js';

const SECOND_MS = 1_000;

/** Starts the background jobs. `changed` is called with the webhooks that they changed. */
export function startJobs(
  { config, pool, maintenance, log, job }: DispatcherPlatform,
  { quietWork: unitOfWork }: Pick<Tables, 'quietWork'>,
  ports: Ports,
  changed: (webhookIds: readonly string[]) => void,
): void {
  const deleteAgain = async (userId: string) => {
    const user = { userId, at: ports.now() };
    const webhooks = await ports.unitOfWork.inTransaction((tx) => deleteUsers(tx, [user]));
    changed(webhooks.map(({ webhookId }) => webhookId));
  };
  job('daily partitions', 3_600 * SECOND_MS, async () => void (await makeDailyPartitions(pool)));
  job('retention', 600 * SECOND_MS, async () => {
    const dropped = await purgePartitions(maintenance, config.retention);
    if (dropped.length > 0) log.info({ partitions: dropped }, 'days are over');
    await purgeRows(pool, config.retention);
  });
  job(
    'rows of deleted users',
    5 * SECOND_MS,
    deleteUserRows({ unitOfWork, rows: deletedUserRows(pool), deleteAgain }),
  );
  job(
    'redacted payloads',
    5 * SECOND_MS,
    redactUserPayloads({ unitOfWork, redactions: ports.redactions }),
  );
  job('failing webhooks', 60 * SECOND_MS, async () => void (await disableFailing(ports)()));
  job('expired secrets', 60 * SECOND_MS, () => purgeExpiredSecrets(pool));
}
