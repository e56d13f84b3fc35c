import type { UnitOfWork } from '../unit-of-work.js';
import type { DeletedUserRows } from './ports.js';

interface DeletionPorts {
  readonly unitOfWork: UnitOfWork;
  readonly rows: DeletedUserRows;
  /** Deletes the webhooks that a user has by now, as when the user was deleted. */
  readonly deleteAgain: (userId: string) => Promise<unknown>;
}

/**
 * Deletes the rows of users who were deleted: day by day, so that no transaction grows with the number of rows. The key
 * of such a user is shredded, but rows hold in clear what producers call their events (ce_id, ce_source), so they do
 * not stay until they are purged by age.
 */
export const deleteUserRows =
  ({ unitOfWork, rows, deleteAgain }: DeletionPorts) =>
  async (): Promise<void> => {
    for (const { userId, isLast } of await rows.users()) {
      // An event or a request on its way when the user went may have left something behind since.
      await deleteAgain(userId);
      let isDone = true;
      for (const day of await rows.days()) {
        const isDayDone = await unitOfWork.inTransaction((tx) => tx.users.deleteDay(userId, day));
        isDone &&= isDayDone;
      }
      await unitOfWork.inTransaction((tx) => tx.users.deleteDeadLetters(userId));
      await rows.deleteRest(userId);
      if (isLast && isDone) await rows.end(userId);
    }
  };
