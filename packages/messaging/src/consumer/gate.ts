import type { InboundRecord } from '../kafka/kafka-port.js';
import { RecordError } from '../record-error.js';
import { indexedText } from './stored-text.js';

const KEY_MAX = 512;
const ID_MAX = 256;

/** What is known of the keys and ids of a batch before it is handled. */
export interface GateState {
  /** Key to the last sequence that took effect. */
  readonly sequences: ReadonlyMap<string, bigint>;
  readonly parked: ReadonlySet<string>;
  /** Ids (see `idOf`) that took effect. */
  readonly seen: ReadonlySet<string>;
}

export type Verdict =
  | { readonly kind: 'fresh' | 'duplicate' | 'follower' }
  | { readonly kind: 'bad'; readonly reason: RecordError };

export interface RecordId {
  readonly source: string;
  readonly id: string;
}

/** Decides, record by record and in order, which ones are handled. Pure. */
export interface Gate {
  judge(record: InboundRecord): Verdict;
  /** It took effect, or was set aside for good: the same one again is a duplicate. */
  accept(record: InboundRecord): void;
  /** It waits, and with it whatever comes for its key. False where there is no key to park. */
  park(record: InboundRecord): boolean;
  changes(): {
    readonly sequences: ReadonlyMap<string, bigint>;
    readonly ids: readonly RecordId[];
    readonly parked: readonly string[];
  };
}

/** For topics without order: everything is fresh, and nothing waits for anything. */
export const openGate = (): Gate => ({
  judge: () => ({ kind: 'fresh' }),
  accept: () => undefined,
  park: () => false,
  changes: () => ({ sequences: new Map(), ids: [], parked: [] }),
});

/** Without `ce_sequence` an id stands for the record; without either it cannot be told apart. */
export function idOf({ headers }: InboundRecord): RecordId | undefined {
  const id = headers['ce_id'];
  if (id === undefined) return undefined;
  return { source: indexedText(headers['ce_source'] ?? '', ID_MAX), id: indexedText(id, ID_MAX) };
}

export const idText = ({ source, id }: RecordId): string => `${source}\n${id}`;

export const keyOf = ({ key }: InboundRecord): string | undefined =>
  key === null ? undefined : indexedText(key, KEY_MAX);

/** For ordered topics: each key counts its records from 1, and none is repeated or left out. */
export function orderedGate(state: GateState): Gate {
  const sequences = new Map<string, bigint>();
  const parked = new Set<string>();
  const ids = new Map<string, RecordId>();

  const lastOf = (key: string): bigint => sequences.get(key) ?? state.sequences.get(key) ?? 0n;
  const isParked = (key: string): boolean => parked.has(key) || state.parked.has(key);
  const isSeen = (id: RecordId): boolean => ids.has(idText(id)) || state.seen.has(idText(id));

  return {
    judge(record) {
      const key = keyOf(record);
      if (key === undefined)
        return bad('key_missing', 'The record has no key, so it has no order.');
      const sequence = sequenceOf(record);

      if (sequence === undefined) {
        const id = idOf(record);
        if (!id) return bad('ce_id_missing', 'The record has neither ce_sequence nor ce_id.');
        if (isSeen(id)) return { kind: 'duplicate' };
        return { kind: isParked(key) ? 'follower' : 'fresh' };
      }
      if (sequence === 'invalid') {
        return bad('ce_sequence_invalid', 'ce_sequence is not a whole number from 1 on.');
      }
      const last = lastOf(key);
      if (sequence <= last) return { kind: 'duplicate' };
      if (isParked(key)) return { kind: 'follower' };
      if (sequence === last + 1n) return { kind: 'fresh' };
      return bad('ce_sequence_gap', `ce_sequence is ${sequence}, but ${last + 1n} comes next.`);
    },

    accept(record) {
      const key = keyOf(record);
      const sequence = sequenceOf(record);
      if (typeof sequence === 'bigint' && key !== undefined) sequences.set(key, sequence);
      const id = sequence === undefined ? idOf(record) : undefined;
      if (id) ids.set(idText(id), id);
    },

    park(record) {
      const key = keyOf(record);
      if (key === undefined) return false;
      if (!isParked(key)) parked.add(key);
      return true;
    },

    changes: () => ({ sequences, ids: [...ids.values()], parked: [...parked] }),
  };
}

const bad = (code: string, message: string): Verdict => ({
  kind: 'bad',
  reason: new RecordError(code, message),
});

/** Eighteen digits, so that it fits a bigint column. */
const SEQUENCE = /^[1-9][0-9]{0,17}$/;

function sequenceOf({ headers }: InboundRecord): bigint | 'invalid' | undefined {
  const text = headers['ce_sequence'];
  if (text === undefined) return undefined;
  return SEQUENCE.test(text) ? BigInt(text) : 'invalid';
}
