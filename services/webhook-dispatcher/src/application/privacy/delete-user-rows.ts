import type { Ports } from '../ports.js';
import { deleteUsers } from './delete-users.js';

type DeletionPorts = Pick<
  Ports,
  'unitOfWork' | 'quietWork' | 'deletedUserRows' | 'webhooksDeleted' | 'now'
>;

/**
 * Deletes the rows of users who were deleted: day by day, so that no transaction grows with the number of rows. The key
 * of such a user is shredded, but rows hold in clear what producers call their events (ce_id, ce_source), so they do
 * not stay until they are purged by age.
 */
export const deleteUserRows = (ports: DeletionPorts) => async (): Promise<void> => {
  const { unitOfWork, quietWork, deletedUserRows: rows, webhooksDeleted } = ports;
  for (const { userId, isLast } of await rows.users()) {
    // An event or a request on its way when the user went may have left something behind since.
    const user = { userId, at: ports.now(), isFinal: true };
    webhooksDeleted(await unitOfWork.inTransaction((tx) => deleteUsers(tx, [user])));
    let isDone = true;
    for (const day of await rows.days()) {
      const isDayDone = await quietWork.inTransaction((tx) => tx.users.deleteDay(userId, day));
      isDone &&= isDayDone;
    }
    await quietWork.inTransaction((tx) => tx.users.deleteDeadLetters(userId));
    await rows.deleteRest(userId);
    if (isLast && isDone) await rows.end({ userId });
  }
};
