import { describe, expect, it } from '@jest/globals';
import { type Count, counted } from '../count.js';
import { checkHistory } from './check.js';
import type { Effect, History, OffsetMove, Published, Stored } from './history.js';

describe('a history in which every promise was kept', () => {
  it('is found to be so', () => {
    expect(checkHistory(good())).toEqual([]);
  });

  it('may hold records that were sent again, and were dropped or known', () => {
    const history = good();
    const again = [4, 5].map((offset): Published => ({ ...record(COUNTS, A1, 1), offset }));
    const known = { ...record(NOTICES, A1), offset: 4 };
    expect(
      checkHistory({
        ...history,
        published: [...history.published, ...again, known],
        effects: [
          ...history.effects,
          ...['notices', 'begun'].map((name) => ({ ...effect(name, known), fresh: false })),
        ],
      }),
    ).toEqual([]);
  });

  it('may hold a command that was repeated, and was answered as the first time', () => {
    const history = good();
    const [first] = history.acknowledged;
    if (!first) throw new Error('Nothing was acknowledged.');
    const again = { ...first, repeated: true };
    expect(checkHistory({ ...history, acknowledged: [...history.acknowledged, again] })).toEqual(
      [],
    );
  });
});

describe('a writer', () => {
  it('that was told of an event which is not there, is noticed', () => {
    const { promises, found } = broken({ stored: [A1, B1] });
    expect(promises).toContain('an acknowledged event is in the store, once, at its version');
    expect(found).toContain('Event a2 of w/1/0 was acknowledged as shared-a@2; it is not there.');
  });

  it('that was told another version, is noticed', () => {
    const { found } = broken({ stored: [A1, { ...A2, version: 3 }, B1] });
    expect(found).toContain('was acknowledged as shared-a@2; a2 of w/1/0 at shared-a@3.');
  });

  it('that was never answered, is noticed', () => {
    const { promises, found } = broken({ acknowledged: good().acknowledged.slice(0, 1) });
    expect(promises).toEqual(['every request is acknowledged in the end']);
    expect(found).toContain('w/2/0 (command c2)');
  });

  it('that repeats under a new command id, and so stores a request twice, is noticed', () => {
    const again = { ...B1, eventId: 'b2', version: 2 };
    const { promises, found } = broken({ stored: [A1, A2, B1, again] });
    expect(promises).toContain('a request is stored once, however often it is repeated');
    expect(promises).toContain('nothing is stored that nobody asked for');
    expect(found).toContain('b1 of w/2/0 at own-b@1 and b2 of w/2/0 at own-b@2.');
  });

  it('that was answered twice as if for the first time, is noticed', () => {
    const history = good();
    const [first] = history.acknowledged;
    const { promises } = broken({
      acknowledged: [...history.acknowledged, ...(first ? [first] : [])],
    });
    expect(promises).toEqual(['a command that is repeated is answered as the first time']);
  });
});

describe('a stream', () => {
  it('with a gap is noticed', () => {
    const { promises, found } = broken({
      stored: [{ ...A1, version: 2 }, { ...A2, version: 3 }, B1],
    });
    expect(promises).toContain('a stream has no gap, and is read in the order of its versions');
    expect(found).toContain('shared-a has 2 events; in reading order version 1 is missing');
  });

  it('that is read in another order than its versions, is noticed', () => {
    const { promises } = broken({ stored: [A2, A1, B1] });
    expect(promises).toContain('a stream has no gap, and is read in the order of its versions');
  });
});

describe('a relay', () => {
  it('that lost a row, is noticed on the topic that lacks it', () => {
    const without = good().published.filter(
      ({ topic, eventId }) => topic !== COUNTS || eventId !== 'b1',
    );
    const { promises, found } = broken({ published: without });
    expect(promises).toEqual(['every stored event is published']);
    expect(found).toBe('chaos.counts has no record of b1 (w/2/0, own-b@1).');
  });

  it('that publishes a key in another order, is noticed', () => {
    const [first, second, ...rest] = good().published;
    if (!first || !second) throw new Error('Nothing was published.');
    const published = [
      { ...second, offset: first.offset },
      { ...first, offset: second.offset },
      ...rest,
    ];
    const { promises, found } = broken({ published });
    expect(promises).toContain('the records of a key are published in the order of their versions');
    expect(found).toContain('version 2 comes first where version 1 should');
  });

  it('that gives a wrong ce_sequence, is noticed', () => {
    const published = good().published.map((each) =>
      each.topic === COUNTS && each.eventId === 'a2' ? { ...each, sequence: 3 } : each,
    );
    const { promises, found } = broken({ published });
    expect(promises).toEqual(['ce_sequence counts the records of a key on its domain topic']);
    expect(found).toContain('is version 2 of its stream and has ce_sequence 3');
  });

  it('that publishes what was never committed, is noticed', () => {
    const ghost = { ...record(COUNTS, A1, 1), eventId: 'ghost', offset: 9 };
    const { promises } = broken({ published: [...good().published, ghost] });
    expect(promises).toEqual(['a record tells of a stored event, under the key of its stream']);
  });
});

describe('a consumer', () => {
  it('that takes a record twice, is noticed, with both processes', () => {
    const { effects } = good();
    const twice = effects.flatMap((each) =>
      each.consumer === 'counts' && each.eventId === 'b1'
        ? [each, { ...each, by: 'consumer-2' }]
        : [each],
    );
    const { promises, found } = broken({ effects: twice });
    expect(promises).toEqual([
      'a record takes effect once',
      'every event takes effect exactly once',
    ]);
    expect(found).toContain('by consumer-1 from 0@2 and by consumer-2 from 0@2');
  });

  it('is noticed when one of its processes handles and commits an offset twice, also without an effect', () => {
    const again = { ...effect('begun', record(NOTICES, B1)), fresh: false };
    const { promises, found } = broken({ effects: [...good().effects, again] });
    expect(promises).toEqual(['no process handles and commits an offset of a partition twice']);
    expect(found).toBe(
      'begun handled chaos.notices/0@2 2 times: by consumer-1 from 0@2 and by consumer-1 from 0@2.',
    );
  });

  it('is noticed when two of its processes began with a record and both handle the record', () => {
    const again = { ...effect('begun', record(NOTICES, B1)), by: 'consumer-2', fresh: false };
    const { promises } = broken({ effects: [...good().effects, again] });
    expect(promises).toEqual(['a record takes effect once']);
  });

  it('that lost an event, is noticed', () => {
    const effects = good().effects.filter(
      ({ consumer, eventId }) => consumer !== 'counts' || eventId !== 'a2',
    );
    const { promises, found } = broken({ effects });
    expect(promises).toEqual(['every event takes effect exactly once']);
    expect(found).toBe('counts: a2 of w/1/0 (shared-a@2) has no effect.');
  });

  it('that passes a record of a topic without ce_sequence over, is noticed', () => {
    const known = { ...record(NOTICES, A1), offset: 4 };
    const { promises, found } = broken({ published: [...good().published, known] });
    const promise = 'every record of a topic without ce_sequence is handled';
    expect(promises).toEqual([promise, promise]);
    expect(found).toContain('notices never handled chaos.notices/0@4');
    expect(found).toContain('begun never handled chaos.notices/0@4');
  });

  it('that takes the records of a key in another order, is noticed', () => {
    const { promises, found } = broken({ effects: good().effects.toReversed() });
    expect(new Set(promises)).toEqual(
      new Set(['the effects of a key come in the order of its versions']),
    );
    expect(found).toContain('of shared-a version 1 took effect after version 2');
  });
});

describe('a stored offset', () => {
  it('that moves back, is noticed, with who moved it', () => {
    const offsetMoves = [move(0, 2), { ...move(2, 1), by: 'consumer-2' }, move(1, 3)];
    const { promises, found } = broken({ offsetMoves });
    expect(promises).toEqual(['a stored offset never moves back']);
    expect(found).toBe('counts: chaos.counts/0 was moved from 2 to 1 by consumer-2.');
  });

  it('that goes on from elsewhere than where it was, is noticed', () => {
    const { promises, found } = broken({ offsetMoves: [move(0, 2), move(1, 3)] });
    expect(promises).toEqual(['a stored offset never moves back']);
    expect(found).toBe('counts: chaos.counts/0 was moved from 1 to 3 by consumer-1; it was at 2.');
  });

  it('is that of one partition of one consumer', () => {
    const others = [
      { ...move(0, 1), partition: 1 },
      { ...move(0, 1), consumer: 'notices' },
    ];
    expect(broken({ offsetMoves: [move(0, 3), ...others] }).promises).toEqual([]);
  });
});

describe('a topic that was made anew', () => {
  /** The first topic had a1 at offset 0, and a2, which was deleted with it; the last one begins with b1. */
  function madeAnew() {
    const topic = 'chaos.anew';
    const published = [{ ...record(topic, B1), offset: 0 }];
    return {
      readers: [{ consumer: 'anew', topic, sequenced: false, isAhead: true, isRemade: true }],
      published,
      effects: [record(topic, A1), ...published].map((each) => effect('anew', each)),
    };
  }

  it('may have lost what was in it before, and is read from its beginning once it is reset', () => {
    const offsetMoves = [move(0, 1), { ...move(1, 0), isAnew: true }, move(0, 1)];
    expect(broken({ ...madeAnew(), offsetMoves }).promises).toEqual([]);
  });

  it('that is read from its middle, is noticed', () => {
    const history = madeAnew();
    const effects = history.effects.slice(0, 1);
    const { promises, found } = broken({ ...history, effects });
    expect(promises).toEqual(['every record of a topic without ce_sequence is handled']);
    expect(found).toContain('anew never handled chaos.anew/0@0 (event b1');
  });

  it('is noticed when a record of it is handled before the reset and after it', () => {
    const history = madeAnew();
    const effects = [...history.effects, ...history.effects.slice(1)];
    const { promises } = broken({ ...history, effects });
    expect(promises).toContain('no process handles and commits an offset of a partition twice');
  });
});

describe('a read model', () => {
  it.each([
    ['lacks an event', { count: 1 }],
    ['has one twice', { count: 3 }],
    ['met them in another order', { digest: 'other' }],
    ['is of another version', { version: 1 }],
    ['counted wrong', { sum: 0 }],
  ])('that %s is noticed', (_, change) => {
    const readModels = good().readModels.map((model) => ({
      ...model,
      rows: model.rows.map((row) => (row.id === 'a' ? { ...row, ...change } : row)),
    }));
    const { promises, found } = broken({ readModels });
    expect(promises).toEqual(['a read model is the fold over its events']);
    expect(found).toMatch(/^counts_of_all: of shared-a the store says 2 events .*, the table /);
  });

  it('without a row, or with one of nobody, is noticed', () => {
    const readModels = good().readModels.map((model) => ({
      ...model,
      rows: model.rows.map((row) => (row.id === 'b' ? { ...row, id: 'x' } : row)),
    }));
    const { found } = broken({ readModels });
    expect(found).toContain('counts_inline: of own-b the store says 1 events');
    expect(found).toContain('counts_of_all has a row for x');
  });
});

it('trouble that left something behind is noticed', () => {
  const { promises, found } = broken({ leftovers: ['counts made a dead letter of counts/0@1.'] });
  expect(promises).toEqual(['trouble leaves nothing behind']);
  expect(found).toBe('counts made a dead letter of counts/0@1.');
});

const COUNTS = 'chaos.counts';
const NOTICES = 'chaos.notices';

/** Two events of a shared stream, and one of a writer's own. */
const A1: Stored = {
  eventId: 'a1',
  streamId: 'shared-a',
  version: 1,
  request: 'w/1/0',
  place: 0,
  amount: 5,
};
const A2: Stored = { ...A1, eventId: 'a2', version: 2, place: 1, amount: 2 };
const B1: Stored = { ...A1, eventId: 'b1', streamId: 'own-b', request: 'w/2/0', amount: 1 };

const asked = (request: string, commandId: string, events: readonly Stored[]) => ({
  request,
  commandId,
  events: events.map(({ eventId, streamId }) => ({ eventId, streamId })),
});

const acknowledged = (request: string, commandId: string, events: readonly Stored[]) => ({
  request,
  commandId,
  repeated: false,
  events: events.map(({ eventId, streamId, version }) => ({ eventId, streamId, version })),
});

const record = (topic: string, { eventId, streamId }: Stored, sequence?: number): Published => ({
  topic,
  partition: 0,
  offset: ['a1', 'a2', 'b1'].indexOf(eventId),
  key: streamId,
  eventId,
  sequence,
});

const effect = (
  consumer: string,
  { topic, partition, offset, key, eventId }: Published,
): Effect => ({
  consumer,
  by: 'consumer-1',
  topic,
  partition,
  offset,
  key,
  eventId,
  fresh: true,
});

const move = (from: number, to: number): OffsetMove => ({
  consumer: 'counts',
  topic: COUNTS,
  partition: 0,
  from,
  to,
  isAnew: false,
  by: 'consumer-1',
});

const rowOf = (id: string, ...events: readonly Stored[]) => {
  const row = events.reduce<Count | undefined>(
    (before, event) => counted(before, event, event.version),
    undefined,
  );
  if (!row) throw new Error('A row is of at least one event.');
  return { id, ...row };
};

function good(): History {
  const stored = [A1, A2, B1];
  const counts = stored.map((event) => record(COUNTS, event, event.version));
  const notices = stored.map((event) => record(NOTICES, event));
  return {
    asked: [asked('w/1/0', 'c1', [A1, A2]), asked('w/2/0', 'c2', [B1])],
    acknowledged: [acknowledged('w/1/0', 'c1', [A1, A2]), acknowledged('w/2/0', 'c2', [B1])],
    stored,
    published: [...counts, ...notices],
    effects: [
      ...counts.map((each) => effect('counts', each)),
      ...notices.map((each) => effect('notices', each)),
      ...notices.map((each) => effect('begun', each)),
    ],
    offsetMoves: [move(0, 2), move(2, 3)],
    readers: [
      { consumer: 'counts', topic: COUNTS, sequenced: true, isAhead: false },
      { consumer: 'notices', topic: NOTICES, sequenced: false, isAhead: false },
      { consumer: 'begun', topic: NOTICES, sequenced: false, isAhead: true },
    ],
    readModels: [
      { table: 'counts_inline', aggregate: 'own', rows: [rowOf('b', B1)] },
      { table: 'counts_of_all', aggregate: undefined, rows: [rowOf('a', A1, A2), rowOf('b', B1)] },
    ],
    leftovers: [],
  };
}

/** Checks the good history with this change. Returns the promises that it breaks, and the findings as text. */
function broken(change: Partial<History>) {
  const violations = checkHistory({ ...good(), ...change });
  return {
    promises: violations.map(({ promise }) => promise),
    found: violations.map(({ found }) => found).join('\n'),
  };
}
