import type { InboundRecord } from '../kafka/kafka-port.js';
import type { Behaviour, OpenInbox } from './inbox-tck.js';

interface Waiting {
  readonly record: InboundRecord;
  readonly reason: string;
}

/** The rules of an inbox in their plainest form: one record after the other, nothing to roll back. */
export const memoryInbox: OpenInbox = async (behaviourOf) => {
  const { effects, isDone, isGap, takeEffect } = ledger();
  const parked = new Map<string, Waiting[]>();
  let next = 0n;
  let isMended = false;

  const refusal = (record: InboundRecord): string | undefined => {
    if (isGap(record)) return 'ce_sequence_gap';
    return isMended ? undefined : REASONS[behaviourOf(valueOf(record))];
  };
  const take = (record: InboundRecord): void => {
    if (isDone(record)) return;
    const waiting = parked.get(keyOf(record));
    const reason = waiting ? 'key_parked' : refusal(record);
    if (reason === undefined) takeEffect(record);
    else parked.set(keyOf(record), [...(waiting ?? []), { record, reason }]);
  };
  const redrive = (key: string): void => {
    let waiting = parked.get(key) ?? [];
    for (let isStuck = false; !isStuck; ) {
      const ready = waiting.find(({ record }) => isDone(record) || !isGap(record));
      isStuck = ready === undefined;
      if (ready && !isDone(ready.record)) takeEffect(ready.record);
      waiting = waiting.filter((each) => each !== ready);
    }
    if (waiting.length === 0) parked.delete(key);
    else parked.set(key, waiting);
  };

  return {
    async deliver(records, from) {
      if (from !== next) return 0;
      records.forEach(take);
      next += BigInt(records.length);
      return records.length;
    },
    async mendAndRedrive() {
      isMended = true;
      for (const key of parked.keys()) redrive(key);
    },
    effects: async () => effects,
    letters: async () => lettersOf([...parked.values()].flat()),
    parked: async () => [...parked.keys()].sort(),
  };
};

/** What took effect, and what is known by it. */
function ledger() {
  const effects: string[] = [];
  const last = new Map<string, bigint>();
  const seen = new Set<string>();
  return {
    effects,
    isDone(record: InboundRecord): boolean {
      const sequence = sequenceOf(record);
      if (sequence === undefined) return seen.has(record.headers['ce_id'] ?? '');
      return sequence <= (last.get(keyOf(record)) ?? 0n);
    },
    isGap(record: InboundRecord): boolean {
      const sequence = sequenceOf(record);
      return sequence !== undefined && sequence !== (last.get(keyOf(record)) ?? 0n) + 1n;
    },
    takeEffect(record: InboundRecord): void {
      effects.push(valueOf(record));
      const sequence = sequenceOf(record);
      if (sequence === undefined) seen.add(record.headers['ce_id'] ?? '');
      else last.set(keyOf(record), sequence);
    },
  };
}

const lettersOf = (waiting: readonly Waiting[]): readonly string[] =>
  waiting.map(({ record, reason }) => `${record.offset} ${reason}`).sort();

const REASONS: Readonly<Record<Behaviour, string | undefined>> = {
  good: undefined,
  away: undefined,
  bad: 'refused',
  broken: 'handler_failed',
};

const keyOf = ({ key }: InboundRecord): string => key ?? '';
const valueOf = ({ value }: InboundRecord): string => value?.toString() ?? '';

function sequenceOf({ headers }: InboundRecord): bigint | undefined {
  const text = headers['ce_sequence'];
  return text === undefined ? undefined : BigInt(text);
}
