import type pg from 'pg';

/** A key of an ordered topic, for one consumer. */
export interface ParkedKey {
  readonly consumer: string;
  readonly topic: string;
  readonly key: string;
}

/** Until the end of the transaction nobody adds a follower, nor handles a record of this key. */
export const lockKey = (tx: pg.ClientBase, { consumer, topic, key }: ParkedKey) =>
  tx.query('select from parked_keys where consumer = $1 and topic = $2 and key = $3 for update', [
    consumer,
    topic,
    key,
  ]);

/**
 * After letters of a locked key are gone. Lets the key go when none waits any more; the sequence is
 * then at least `goneUpTo`, so that the record after the last one that was given up is no gap.
 */
export async function settleKey(
  tx: pg.ClientBase,
  at: ParkedKey,
  goneUpTo: bigint | undefined,
): Promise<void> {
  const { consumer, topic, key } = at;
  const { rows } = await tx.query(
    `select from dead_letters
      where consumer = $1 and topic = $2 and key = $3 and parked and resolved_at is null limit 1`,
    [consumer, topic, key],
  );
  if (rows.length > 0) return stepOverDiscarded(tx, at);

  if (goneUpTo !== undefined) await advanceTo(tx, at, goneUpTo);
  await tx.query('delete from parked_keys where consumer = $1 and topic = $2 and key = $3', [
    consumer,
    topic,
    key,
  ]);
}

/** What an operator gave up counts as done once its turn comes: then its follower is no gap. */
export async function stepOverDiscarded(
  tx: pg.ClientBase,
  { consumer, topic, key }: ParkedKey,
): Promise<void> {
  const { rows: last } = await tx.query<{ sequence: string }>(
    'select sequence from consumer_sequences where consumer = $1 and topic = $2 and key = $3',
    [consumer, topic, key],
  );
  const before = BigInt(last[0]?.sequence ?? 0);
  const { rows } = await tx.query<{ sequence: string }>(
    `select distinct (headers->>'ce_sequence')::bigint as sequence from dead_letters
      where consumer = $1 and topic = $2 and key = $3 and resolution = 'discarded'
        and headers->>'ce_sequence' ~ '^[1-9][0-9]{0,17}$'
        and (headers->>'ce_sequence')::bigint > $4
      order by 1`,
    [consumer, topic, key, before],
  );
  let sequence = before;
  for (const row of rows) if (BigInt(row.sequence) === sequence + 1n) sequence += 1n;
  if (sequence > before) await advanceTo(tx, { consumer, topic, key }, sequence);
}

const advanceTo = (tx: pg.ClientBase, { consumer, topic, key }: ParkedKey, sequence: bigint) =>
  tx.query(
    `insert into consumer_sequences as s (consumer, topic, key, sequence) values ($1, $2, $3, $4)
     on conflict (consumer, topic, key) do update
       set sequence = greatest(s.sequence, excluded.sequence)`,
    [consumer, topic, key, sequence],
  );
