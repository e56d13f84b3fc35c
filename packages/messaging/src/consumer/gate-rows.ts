import type pg from 'pg';
import type { InboundRecord } from '../kafka/kafka-port.js';
import { type Gate, idOf, idText, keyOf, openGate, orderedGate, type RecordId } from './gate.js';

export interface GateScope {
  readonly consumer: string;
  readonly topic: string;
  readonly ordered: boolean;
}

/** The gate for records of keys whose rows in parked_keys the caller holds: nothing makes them wait. */
export const loadGateOfRedrive = async (
  tx: pg.ClientBase,
  scope: GateScope,
  record: InboundRecord,
): Promise<Gate> => {
  if (!scope.ordered) return openGate();
  const { consumer, topic } = scope;
  const key = keyOf(record);
  const id = idOf(record);
  return orderedGate({
    sequences: await loadSequences(tx, consumer, topic, key === undefined ? [] : [key]),
    parked: new Set(),
    seen: id === undefined ? new Set() : await loadSeen(tx, consumer, [id]),
  });
};

/** The gate for these records, as the tables say. Keys that are parked stay so until commit. */
export async function loadGate(
  tx: pg.ClientBase,
  { consumer, topic, ordered }: GateScope,
  records: readonly InboundRecord[],
): Promise<Gate> {
  if (!ordered) return openGate();

  const keys = [...new Set(records.map(keyOf).filter((key) => key !== undefined))];
  const ids = records
    .filter(({ headers }) => headers['ce_sequence'] === undefined)
    .map(idOf)
    .filter((id) => id !== undefined);
  // First: it waits for a redrive of these keys, which changes the other two.
  const parked = await loadParked(tx, consumer, topic, keys);
  return orderedGate({
    sequences: await loadSequences(tx, consumer, topic, keys),
    parked,
    seen: ids.length === 0 ? new Set() : await loadSeen(tx, consumer, ids),
  });
}

async function loadSequences(tx: pg.ClientBase, consumer: string, topic: string, keys: string[]) {
  const { rows } = await tx.query<{ key: string; sequence: string }>({
    name: 'junction_consumer_sequences',
    text: `select key, sequence from consumer_sequences
            where consumer = $1 and topic = $2 and key = any ($3)`,
    values: [consumer, topic, keys],
  });
  return new Map(rows.map(({ key, sequence }) => [key, BigInt(sequence)]));
}

async function loadParked(tx: pg.ClientBase, consumer: string, topic: string, keys: string[]) {
  const { rows } = await tx.query<{ key: string }>({
    name: 'junction_consumer_parked',
    text: `select key from parked_keys
            where consumer = $1 and topic = $2 and key = any ($3) order by key for share`,
    values: [consumer, topic, keys],
  });
  return new Set(rows.map(({ key }) => key));
}

async function loadSeen(tx: pg.ClientBase, consumer: string, ids: readonly RecordId[]) {
  const { rows } = await tx.query<RecordId>(
    `select source, id from consumer_inbox
      where consumer = $1 and (source, id) in (select * from unnest($2::text[], $3::text[]))`,
    [consumer, ids.map(({ source }) => source), ids.map(({ id }) => id)],
  );
  return new Set(rows.map(idText));
}

/** Writes what passed, so that the next batch knows it. */
export async function storeGate(
  tx: pg.ClientBase,
  { consumer, topic }: GateScope,
  gate: Gate,
): Promise<void> {
  const { sequences, ids, parked } = gate.changes();
  if (sequences.size > 0) {
    await tx.query({
      name: 'junction_consumer_store_sequences',
      text: `
        insert into consumer_sequences as s (consumer, topic, key, sequence)
        select $1, $2, * from unnest($3::text[], $4::bigint[])
        on conflict (consumer, topic, key) do update
          set sequence = greatest(s.sequence, excluded.sequence)`,
      values: [consumer, topic, [...sequences.keys()], [...sequences.values()]],
    });
  }
  if (ids.length > 0) {
    await tx.query(
      `insert into consumer_inbox (consumer, source, id)
       select $1, * from unnest($2::text[], $3::text[]) on conflict do nothing`,
      [consumer, ids.map(({ source }) => source), ids.map(({ id }) => id)],
    );
  }
  if (parked.length > 0) {
    await tx.query(
      `insert into parked_keys (consumer, topic, key)
       select $1, $2, unnest($3::text[]) on conflict do nothing`,
      [consumer, topic, parked],
    );
  }
}
