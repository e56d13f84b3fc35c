import type { InboundRecord } from '@junction/kafka';
import type pg from 'pg';
import { indexedText } from '../dead-letters/stored-text.js';

const KEY_MAX = 512;
const ID_MAX = 256;

/** Pattern of a sequence: eighteen digits at most, so that it fits a bigint column. */
const SEQUENCE = /^[1-9][0-9]{0,17}$/;

/** Consumer and topic whose records are remembered. */
export interface Scope {
  readonly consumer: string;
  /** Topic without the prefix. */
  readonly topic: string;
}

/** Marks of records that were taken before, as far as they concern a batch. */
export interface Taken {
  /** Highest ce_sequence by key. */
  readonly sequences: ReadonlyMap<string, bigint>;
  /** Ids as `idText` gives them. */
  readonly ids: ReadonlySet<string>;
}

/** Mark by which a record is recognised when it comes again. */
type Mark =
  | { readonly kind: 'sequence'; readonly key: string; readonly sequence: bigint }
  | { readonly kind: 'id'; readonly source: string; readonly id: string };

/**
 * Returns the mark of a record: its key and ce_sequence, else its source and ce_id; undefined: the record cannot be
 * recognised.
 */
export function markOf(record: InboundRecord): Mark | undefined {
  const { ce_sequence: sequence = '', ce_id: id, ce_source: source = '' } = record.headers;
  const key = keyOf(record);
  if (key !== undefined && SEQUENCE.test(sequence)) {
    return { kind: 'sequence', key, sequence: BigInt(sequence) };
  }
  if (id === undefined) return undefined;
  return { kind: 'id', source: indexedText(source, ID_MAX), id: indexedText(id, ID_MAX) };
}

export const keyOf = ({ key }: InboundRecord): string | undefined =>
  key === null ? undefined : indexedText(key, KEY_MAX);

/** Returns the records that come for the first time: a sequence at or below the last one came before. */
export function withoutDuplicates(
  records: readonly InboundRecord[],
  taken: Taken,
): readonly InboundRecord[] {
  const sequences = new Map(taken.sequences);
  const ids = new Set(taken.ids);
  return records.filter((record) => {
    const mark = markOf(record);
    if (mark === undefined) return true;
    if (mark.kind === 'id') {
      const isNew = !ids.has(idText(mark));
      ids.add(idText(mark));
      return isNew;
    }
    const isNew = mark.sequence > (sequences.get(mark.key) ?? 0n);
    if (isNew) sequences.set(mark.key, mark.sequence);
    return isNew;
  });
}

interface RecordId {
  readonly source: string;
  readonly id: string;
}

export const idText = ({ source, id }: RecordId): string => `${source}\n${id}`;

export async function loadTaken(
  tx: pg.ClientBase,
  scope: Scope,
  records: readonly InboundRecord[],
): Promise<Taken> {
  const { sequences, ids } = marksOf(records);
  return {
    sequences: sequences.size === 0 ? new Map() : await loadSequences(tx, scope, sequences),
    ids: ids.length === 0 ? new Set() : await loadIds(tx, scope, ids),
  };
}

/** Remembers records that were taken, whether they took effect or were set aside. */
export async function storeTaken(
  tx: pg.ClientBase,
  { consumer, topic }: Scope,
  records: readonly InboundRecord[],
): Promise<void> {
  const { sequences, ids } = marksOf(records);
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
    await tx.query({
      name: 'junction_consumer_store_ids',
      text: `
        insert into consumer_inbox (consumer, source, id)
        select $1, * from unnest($2::text[], $3::text[]) on conflict do nothing`,
      values: [consumer, ids.map(({ source }) => source), ids.map(({ id }) => id)],
    });
  }
}

/** Returns each key with its highest sequence, and the ids of records without a sequence. */
function marksOf(records: readonly InboundRecord[]) {
  const sequences = new Map<string, bigint>();
  const ids: RecordId[] = [];
  for (const mark of records.map(markOf)) {
    if (mark?.kind === 'id') ids.push(mark);
    if (mark?.kind !== 'sequence') continue;
    const { key, sequence } = mark;
    if (sequence > (sequences.get(key) ?? 0n)) sequences.set(key, sequence);
  }
  return { sequences, ids };
}

async function loadSequences(
  tx: pg.ClientBase,
  { consumer, topic }: Scope,
  wanted: ReadonlyMap<string, bigint>,
) {
  const { rows } = await tx.query<{ key: string; sequence: string }>({
    name: 'junction_consumer_sequences',
    text: `select key, sequence from consumer_sequences
            where consumer = $1 and topic = $2 and key = any ($3)`,
    values: [consumer, topic, [...wanted.keys()]],
  });
  return new Map(rows.map(({ key, sequence }) => [key, BigInt(sequence)]));
}

async function loadIds(tx: pg.ClientBase, { consumer }: Scope, ids: readonly RecordId[]) {
  const { rows } = await tx.query<RecordId>({
    name: 'junction_consumer_ids',
    text: `select source, id from consumer_inbox
            where consumer = $1 and (source, id) in (select * from unnest($2::text[], $3::text[]))`,
    values: [consumer, ids.map(({ source }) => source), ids.map(({ id }) => id)],
  });
  return new Set(rows.map(idText));
}
