import { publishErased, type ServiceParts } from '@junction/service';
import { WEBHOOKS_SOURCE, WEBHOOKS_TOPIC } from '../adapters/kafka/publication.js';
import { redactions } from '../adapters/postgres/privacy/redaction-table.js';
import { deletedUserRows } from '../adapters/postgres/privacy/user-rows.js';
import { deleteUserRows } from '../application/privacy/delete-user-rows.js';
import { deleteUsers } from '../application/privacy/delete-users.js';
import { redactUserPayloads } from '../application/privacy/redact-user-payloads.js';
import type { WebhookOwner } from '../application/unit-of-work.js';
import type { DispatcherPlatform, Tables } from './tables.js';

const SECOND_MS = 1_000;
const ERASED_BY = {
  service: 'webhook-dispatcher',
  topic: WEBHOOKS_TOPIC,
  source: WEBHOOKS_SOURCE,
};

type Changed = (webhooks: readonly WebhookOwner[]) => void;

/** Deletes rows of deleted users, and redacts payloads. `changed` is called with the webhooks that were deleted. */
export function startPrivacy(
  { pool, job }: DispatcherPlatform,
  { unitOfWork, quietWork }: Tables,
  changed: Changed,
) {
  const requests = redactions(pool);
  const deleteAgain = async (userId: string) => {
    const user = { userId, at: new Date() };
    changed(await unitOfWork.inTransaction((tx) => deleteUsers(tx, [user])));
  };
  const rows = deletedUserRows(pool);
  const quiet = { unitOfWork: quietWork };
  job('rows of deleted users', 5 * SECOND_MS, deleteUserRows({ ...quiet, rows, deleteAgain }));
  job('redacted payloads', 5 * SECOND_MS, redactUserPayloads({ ...quiet, redactions: requests }));
  return { redactions: requests };
}

/** Returns what deletes users, and publishes how many webhooks of each were deleted. */
export const usersDeleted =
  ({ within }: Tables, changed: Changed): NonNullable<ServiceParts['usersDeleted']> =>
  async (tx, users) => {
    const webhooks = await deleteUsers(within(tx), users);
    const erased = users.map(({ userId }) => ({
      userId,
      counts: { webhooks: webhooks.filter((webhook) => webhook.userId === userId).length },
    }));
    await publishErased(tx, ERASED_BY, erased);
    return () => changed(webhooks);
  };
