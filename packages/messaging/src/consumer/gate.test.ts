import { describe, expect, it } from '@jest/globals';
import type { InboundRecord } from '../kafka/kafka-port.js';
import { type GateState, orderedGate } from './gate.js';

const nothing: GateState = { sequences: new Map(), parked: new Set(), seen: new Set() };
const gateAfter = (state: Partial<GateState>) => orderedGate({ ...nothing, ...state });

describe('a record with a sequence', () => {
  it('is fresh when it is the first of its key, or the next one', () => {
    expect(gateAfter({}).judge(numbered('a', 1)).kind).toBe('fresh');
    expect(gateAfter({ sequences: new Map([['a', 4n]]) }).judge(numbered('a', 5)).kind).toBe(
      'fresh',
    );
  });

  it.each([4, 3, 1])('is a duplicate at or below the last one that took effect (%i of 4)', (n) => {
    expect(gateAfter({ sequences: new Map([['a', 4n]]) }).judge(numbered('a', n)).kind).toBe(
      'duplicate',
    );
  });

  it('is a duplicate of one that was accepted in the same batch', () => {
    const gate = gateAfter({});
    gate.accept(numbered('a', 1));
    expect(gate.judge(numbered('a', 1)).kind).toBe('duplicate');
    expect(gate.judge(numbered('a', 2)).kind).toBe('fresh');
    expect(gate.judge(numbered('b', 1)).kind).toBe('fresh');
  });

  it('tells of the ones that are missing before it', () => {
    expect(codeOf(gateAfter({ sequences: new Map([['a', 4n]]) }), numbered('a', 6))).toBe(
      'ce_sequence_gap',
    );
    expect(codeOf(gateAfter({}), numbered('a', 2))).toBe('ce_sequence_gap');
  });

  it.each(['0', '-1', '1.5', 'one', '', '01', '9'.repeat(19)])('is bad when that is %j', (text) => {
    expect(codeOf(gateAfter({}), record('a', { ce_sequence: text }))).toBe('ce_sequence_invalid');
  });
});

describe('a record without a sequence', () => {
  it('is known by its source and id', () => {
    const gate = gateAfter({ seen: new Set(['s\n1']) });
    expect(gate.judge(identified('a', 's', '1')).kind).toBe('duplicate');
    expect(gate.judge(identified('a', 't', '1')).kind).toBe('fresh');

    gate.accept(identified('a', 's', '2'));
    expect(gate.judge(identified('a', 's', '2')).kind).toBe('duplicate');
    expect(gate.changes().ids).toEqual([{ source: 's', id: '2' }]);
  });

  it('is bad when it has no id either', () => {
    expect(codeOf(gateAfter({}), record('a', {}))).toBe('ce_id_missing');
  });
});

describe('a parked key', () => {
  it('keeps its followers waiting, and no other key', () => {
    const gate = gateAfter({ parked: new Set(['a']), sequences: new Map([['a', 1n]]) });
    expect(gate.judge(numbered('a', 2)).kind).toBe('follower');
    expect(gate.judge(identified('a', 's', '1')).kind).toBe('follower');
    expect(gate.judge(numbered('a', 1)).kind).toBe('duplicate');
    expect(gate.judge(numbered('b', 1)).kind).toBe('fresh');
  });

  it('begins with the record that failed, in the middle of a batch', () => {
    const gate = gateAfter({});
    gate.accept(numbered('a', 1));
    expect(gate.park(numbered('a', 2))).toBe(true);
    expect(gate.judge(numbered('a', 3)).kind).toBe('follower');
    expect(gate.changes().parked).toEqual(['a']);
    expect(gate.changes().sequences).toEqual(new Map([['a', 1n]]));
  });

  it('cannot be without a key', () => {
    const gate = gateAfter({});
    expect(codeOf(gate, record(null, { ce_sequence: '1' }))).toBe('key_missing');
    expect(gate.park(record(null, {}))).toBe(false);
  });
});

function codeOf(gate: ReturnType<typeof orderedGate>, of: InboundRecord): string | undefined {
  const verdict = gate.judge(of);
  return verdict.kind === 'bad' ? verdict.reason.code : undefined;
}

const numbered = (key: string, sequence: number) => record(key, { ce_sequence: String(sequence) });

const identified = (key: string, source: string, id: string) =>
  record(key, { ce_source: source, ce_id: id });

const record = (key: string | null, headers: Record<string, string>): InboundRecord => ({
  topic: 't',
  partition: 0,
  offset: 0n,
  key,
  headers,
  value: Buffer.alloc(0),
  timestamp: new Date(0),
});
