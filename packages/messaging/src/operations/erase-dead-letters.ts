import type pg from 'pg';
import { lockKey, settleKey } from './parked-key.js';

/**
 * Deletes the dead letters about a user, in the caller's transaction: their payloads may speak of the
 * person. A key of which none is left goes on after the last one that was deleted. Gives how many.
 */
export async function eraseDeadLetters(tx: pg.ClientBase, userId: string): Promise<number> {
  const { rows: keys } = await tx.query<{ consumer: string; topic: string; key: string }>(
    `select distinct consumer, topic, key from dead_letters
      where user_id = $1 and parked and resolved_at is null and key is not null
      order by consumer, topic, key`,
    [userId],
  );
  for (const at of keys) await lockKey(tx, at);

  const { rows: gone } = await tx.query<Gone>(
    `delete from dead_letters where user_id = $1
     returning consumer, topic, key, parked and resolved_at is null as waited,
               substring(headers->>'ce_sequence' from '^[1-9][0-9]{0,17}$')::bigint as sequence`,
    [userId],
  );
  for (const at of keys) {
    const sequences = gone
      .filter((row) => row.waited && isOf(row, at))
      .map(({ sequence }) => BigInt(sequence ?? 0));
    const upTo = sequences.reduce((max, each) => (each > max ? each : max), 0n);
    await settleKey(tx, at, upTo > 0n ? upTo : undefined);
  }
  return gone.length;
}

interface KeyAt {
  readonly consumer: string;
  readonly topic: string;
  readonly key: string | null;
}

interface Gone extends KeyAt {
  readonly waited: boolean;
  readonly sequence: string | null;
}

const isOf = (row: KeyAt, { consumer, topic, key }: KeyAt): boolean =>
  row.consumer === consumer && row.topic === topic && row.key === key;
