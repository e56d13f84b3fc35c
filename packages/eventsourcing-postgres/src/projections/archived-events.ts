import { AppError } from '@junction/errors';
import type pg from 'pg';

/**
 * For the transaction that puts the checkpoint of a reader before the first event: throws the AppError
 * `events_archived` while some of the events can not be read. Until the transaction ends nobody
 * archives more, so who does so next finds the checkpoint.
 */
export async function requireAllEvents(tx: pg.ClientBase, name: string): Promise<void> {
  await tx.query('lock table archived_partitions in share mode');
  const { rows } = await tx.query<{ n: number }>('select n from archived_partitions order by n');
  if (rows.length === 0) return;
  throw new AppError(
    'conflict',
    'events_archived',
    `Projection "${name}" has to read all events, and these partitions of them are archived: ` +
      `${rows.map(({ n }) => n).join(', ')}. Put them back first (\`junction partitions attach\`); ` +
      'they can be archived again once it has read them.',
  );
}

/** For who archives: whoever begins to read is seen, or waits and is told. Held until the transaction ends. */
export async function keepReadersFromBeginning(tx: pg.ClientBase): Promise<void> {
  await tx.query('lock table archived_partitions in row exclusive mode');
}
