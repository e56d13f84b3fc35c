import { describe, expect, it } from '@jest/globals';
import { GONE, job, many, Scheduled, TIMED_OUT, target } from '../../../../test/scheduled.js';
import type { OrderedHead } from '../due-work.js';
import type { Result } from '../job.js';
import { isBusy, roomOf } from './in-hand.js';
import {
  JOBS_MAX,
  QUEUE_JOBS_MAX,
  READY_BELOW_JOBS,
  RESULTS_BATCH_MAX,
  RESULTS_MAX,
} from './limits.js';
import type { Effect } from './messages.js';
import { LIMIT_MAX } from './pace.js';
import { roomForOthers } from './queues.js';
import { blocked, isReady, known, orderedWaiting, quick } from './reading.js';

describe('a queue', () => {
  it('takes turns with others, so that a long one does not hold them up', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 100), job('b', 1));
    expect(scheduled.sent).toContain('b1');
  });

  it('has few attempts under way to a webhook that is not known', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 100));
    expect(scheduled.sent.length).toBeGreaterThan(0);
    expect(scheduled.sent.length).toBeLessThan(LIMIT_MAX);
  });

  it('is loading until its webhook is known, then active', () => {
    const scheduled = new Scheduled();
    scheduled.loads = false;
    const effects = scheduled.accept(job('a', 1));
    expect(kinds(effects)).toEqual(['load']);
    expect(scheduled.phase('a')).toBe('loading');
    loadOf(scheduled, 'a');
    expect(scheduled.phase('a')).toBe('active');
    expect(scheduled.sent).toEqual(['a1']);
  });

  it('overflows when it is full, and what comes later goes behind what the table has', () => {
    const scheduled = new Scheduled();
    scheduled.loads = false;
    scheduled.accept(...many('a', QUEUE_JOBS_MAX + 1));
    expect(blocked(scheduled.state)).toEqual(['a']);
    loadOf(scheduled, 'a');
    expect(scheduled.phase('a')).toBe('overflowed');
    finishAll(scheduled);
    const [next, last] = [QUEUE_JOBS_MAX + 2, QUEUE_JOBS_MAX + 3];
    scheduled.accept(job('a', next));
    expect(scheduled.sent.at(-1)).toBe(`a${QUEUE_JOBS_MAX}`);

    scheduled.do({ kind: 'readStarted' });
    scheduled.do({ kind: 'readAllBut', webhookIds: [] });
    expect(scheduled.phase('a')).toBe('active');
    scheduled.endRead(job('a', next - 1), job('a', next));
    scheduled.accept(job('a', last));
    expect(scheduled.sent.slice(-3)).toEqual([`a${next - 1}`, `a${next}`, `a${last}`]);
  });

  it('stays overflowed when something was turned away while the table was read', () => {
    const scheduled = overflowed();
    scheduled.do({ kind: 'readStarted' });
    scheduled.accept(job('a', 9));
    scheduled.do({ kind: 'readAllOf', webhookIds: ['a'] });
    expect(scheduled.phase('a')).toBe('overflowed');
  });

  it('is caught up when all that was due of it was read', () => {
    const scheduled = overflowed();
    scheduled.do({ kind: 'readStarted' });
    scheduled.do({ kind: 'readAllOf', webhookIds: ['a', 'gone'] });
    expect(scheduled.phase('a')).toBe('active');
  });

  it('rests while its webhook is paused: its jobs wait in the table, and take no room', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 100));
    const empty = roomOf(new Scheduled().state.inHand);
    scheduled.becomes('a', { version: 2, status: 'paused' });
    expect(scheduled.phase('a')).toBe('resting');
    expect(roomOf(scheduled.state.inHand)).toBe(empty - scheduled.underWay.size);
    expect(blocked(scheduled.state)).toEqual(['a']);
    expect(kinds(scheduled.becomes('a', { version: 3 }))).toContain('read');
    expect(scheduled.phase('a')).toBe('overflowed');
  });

  it('rests while its circuit is open, and sends one probe when it is half open', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 10));
    const opened = scheduled.do(opening);
    expect(kinds(opened)).toContain('keepCircuit');
    expect(scheduled.phase('a')).toBe('resting');
    finishAll(scheduled);
    scheduled.read(...many('a', 10));
    const before = scheduled.sent.length;
    scheduled.do({ kind: 'circuitChanged', webhookId: 'a', change: { to: 'half-open' } });
    scheduled.read(...many('a', 20).slice(10));
    expect(scheduled.sent.length).toBe(before + 1);
    expect(scheduled.circuit('a')).toBe('probing');
  });

  it('has no circuit stored after its shard has gone', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.epoch = '2';
    expect(kinds(scheduled.do(opening))).not.toContain('keepCircuit');
  });

  it('rests when its last owner left its circuit open', () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { rest: { probeAt: new Date(0), restMs: 1_000 } }));
    scheduled.accept(job('a', 1));
    expect(scheduled.phase('a')).toBe('resting');
    expect(scheduled.sent).toEqual([]);
  });

  it('ends what waits for a webhook that is disabled, and asks again for what comes later', () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { status: 'disabled' }));
    const held: Effect = { kind: 'endPending', webhookId: 'a', as: 'held' };
    expect(scheduled.accept(job('a', 1))).toContainEqual(held);
    expect(scheduled.accept(job('a', 2))).toContainEqual(held);
    expect(scheduled.sent).toEqual([]);
  });

  it('is deleted with its webhook', () => {
    const scheduled = new Scheduled();
    scheduled.loads = false;
    scheduled.accept(job('a', 1));
    const effects = scheduled.do({ kind: 'targetsLoaded', webhookIds: ['a'], targets: new Map() });
    expect(effects).toContainEqual({ kind: 'endPending', webhookId: 'a', as: 'cancelled' });
    expect([...known(scheduled.state)]).toEqual([]);
  });

  it('waits for its rate', () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { rateLimit: 2 }));
    scheduled.accept(...many('a', 2));
    expect(scheduled.sent).toEqual(['a1']);
    scheduled.pass(499);
    expect(scheduled.sent).toEqual(['a1']);
    scheduled.pass(1);
    expect(scheduled.sent).toEqual(['a1', 'a2']);
  });

  it('is loaded again by and by when that failed', () => {
    const scheduled = new Scheduled();
    scheduled.loads = false;
    scheduled.accept(job('a', 1));
    expect(scheduled.do({ kind: 'loadFailed', webhookIds: ['a'] })).toEqual([]);
    expect(kinds(scheduled.do({ kind: 'loadAgain' }))).toEqual(['load']);
  });
});

describe('an ordered webhook', () => {
  const ordered = () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { ordered: true }));
    scheduled.accept(job('a', 1), job('a', 2));
    return scheduled;
  };
  const readHead = (scheduled: Scheduled, ...jobs: ReturnType<typeof many>) =>
    headRead(scheduled, { waitMs: 0, jobs });
  const headRead = (scheduled: Scheduled, head: OrderedHead, startedMs = scheduled.nowMs) =>
    scheduled.do({
      kind: 'orderedRead',
      webhookIds: ['a'],
      startedMs,
      work: new Map([['a', head]]),
    });
  const notDue = { waitMs: 3_600_000, jobs: [] };
  const waiting = ({ state, nowMs }: Scheduled) =>
    orderedWaiting(state, { nowMs, epochOf: () => '1' });

  it('sends the head of what waits, each job once the one before is written', () => {
    const scheduled = ordered();
    expect(scheduled.sent).toEqual([]);
    expect(waiting(scheduled)).toEqual(['a']);
    readHead(scheduled, job('a', 1), job('a', 2));
    expect(scheduled.sent).toEqual(['a1']);
    const [result] = resultsOf(scheduled.answer('a1'), scheduled.pass(10));
    expect(scheduled.sent).toEqual(['a1']);
    scheduled.written(result ? [result] : []);
    expect(scheduled.sent).toEqual(['a1', 'a2']);
  });

  it('leaves the jobs behind a failed one to the table', () => {
    const scheduled = ordered();
    readHead(scheduled, job('a', 1), job('a', 2));
    const results = resultsOf(scheduled.answer('a1', TIMED_OUT), scheduled.pass(10));
    expect(kinds(scheduled.written(results))).toContain('read');
    expect(scheduled.sent).toEqual(['a1']);
  });

  it('is read again when its head is due, and at once when it may have changed', () => {
    const scheduled = ordered();
    scheduled.pass(1);
    headRead(scheduled, notDue);
    expect(waiting(scheduled)).toEqual([]);
    expect(kinds(scheduled.becomes('a', { ordered: true }))).toContain('read');
    expect(waiting(scheduled)).toEqual(['a']);
    scheduled.pass(1);
    headRead(scheduled, notDue);
    scheduled.pass(3_600_000);
    expect(waiting(scheduled)).toEqual(['a']);
  });

  it('is read again after a change that came while it was read', () => {
    const scheduled = ordered();
    scheduled.pass(1);
    const startedMs = scheduled.nowMs;
    scheduled.becomes('a', { ordered: true });
    headRead(scheduled, notDue, startedMs);
    expect(waiting(scheduled)).toEqual(['a']);
  });

  it('leaves the jobs behind a 410 to the table too, since the webhook may have changed meanwhile', () => {
    const scheduled = ordered();
    readHead(scheduled, job('a', 1), job('a', 2));
    scheduled.written(resultsOf(scheduled.answer('a1', GONE)));
    expect(scheduled.sent).toEqual(['a1']);
  });
});

describe('an event that comes in', () => {
  it('is left to the table beyond what its user may send, and the reader is told', () => {
    const scheduled = new Scheduled();
    for (let n = 0; n < 10_000; n++) scheduled.state.users.admit('a', 0);
    expect(kinds(scheduled.accept(job('a', 1)))).toEqual(['read']);
    scheduled.nowMs = 1_000;
    scheduled.accept(job('a', 2));
    expect(scheduled.sent).toEqual([]);
    expect(scheduled.read(job('a', 1), job('a', 2))).toBe(0);
    expect(scheduled.sent).toEqual(['a1', 'a2']);
  });

  it('counts once for its user, however many webhooks get it', () => {
    const scheduled = new Scheduled();
    for (let n = 0; n < 9_999; n++) scheduled.state.users.admit('u', 0);
    scheduled.accept(...['a', 'b', 'c'].map((id) => job(id, 1, { userId: 'u' })));
    expect(scheduled.sent).toEqual(['a1', 'b1', 'c1']);
  });

  it('notifies the other replicas when its shard is not held here', () => {
    const scheduled = new Scheduled();
    expect(kinds(scheduled.accept(job('a', 1)))).not.toContain('notify');
    scheduled.epoch = undefined;
    const calls = kinds(scheduled.accept(job('a', 2), job('b', 1)));
    expect(calls.filter((kind) => kind === 'notify')).toHaveLength(1);
  });

  it('waits while webhooks that answer have much to do', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 0.6 * READY_BELOW_JOBS), ...many('b', 0.6 * READY_BELOW_JOBS));
    expect(isReady(scheduled.state)).toBe(false);
    scheduled.writes = true;
    while (scheduled.underWay.size > 0) scheduled.answerAll();
    scheduled.pass(100);
    expect(isReady(scheduled.state)).toBe(true);
  });

  it('waits for webhooks that were never tried, until they show that they are slow', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 600), ...many('b', 600));
    expect(isReady(scheduled.state)).toBe(false);
    scheduled.pass(600);
    expect(isReady(scheduled.state)).toBe(true);
    expect(blocked(scheduled.state)).toEqual(['a', 'b']);
  });

  it('does not wait for webhooks whose answers take long, however many they are', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...Array.from({ length: 1_100 }, (_, n) => job(`w${n}.`, 1)));
    expect(isReady(scheduled.state)).toBe(true);
  });
});

describe('webhooks that never answer', () => {
  it('leave room to what is due in the table, and the reader is woken when there is more room', () => {
    const scheduled = new Scheduled();
    const hanging = Array.from({ length: JOBS_MAX }, (_, n) => job(`w${n}.`, 1));
    expect(kinds(scheduled.accept(...hanging))).not.toContain('read');
    const kept = roomForOthers(scheduled.state);
    expect(kept).toBeGreaterThan(0);
    const reads = kinds(scheduled.pass(10_000)).filter((kind) => kind === 'read');
    expect(reads).toHaveLength(1);
    const room = roomForOthers(scheduled.state);
    expect(room).toBeGreaterThan(kept);
    expect(scheduled.read(...hanging.slice(-1_000))).toBe(1_000 - room);
    expect(roomForOthers(scheduled.state)).toBe(0);
  });
});

describe('webhooks that answer soon', () => {
  it('are read apart, but not while they are blocked', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1), job('b', 1));
    scheduled.answer('a1', { totalMs: 600 });
    scheduled.answer('b1');
    expect(quick(scheduled.state)).toEqual(['b']);
    scheduled.do({ ...opening, webhookId: 'b' });
    expect(quick(scheduled.state)).toEqual([]);
  });
});

describe('a webhook that changes while it is asked', () => {
  const changed = () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 10));
    const asked = [...scheduled.sent];
    const effects = scheduled.becomes('a', { version: 2, url: 'https://elsewhere' });
    return { scheduled, asked, effects };
  };

  it('is sent to at once, however many requests wait for an answer of the older version', () => {
    const { scheduled, asked, effects } = changed();
    expect(asked.length).toBeLessThan(10);
    expect(effects).toContainEqual({ kind: 'dropCircuit', webhookId: 'a' });
    expect(scheduled.sent.length).toBe(2 * asked.length);
  });

  it('is not judged by what the older version answers', () => {
    const { scheduled, asked } = changed();
    const { pace } = scheduled.state.queues.get('a') ?? {};
    const results = resultsOf(
      asked.flatMap((id) => scheduled.answer(id, GONE)),
      scheduled.pass(10),
    );
    expect(results).toHaveLength(asked.length);
    for (const { version, isOutdated, fact } of results) {
      expect({ version, isOutdated }).toEqual({ version: 1, isOutdated: true });
      expect(fact).toMatchObject({ type: 'delivery.attempt_failed', data: { reason: 'http_410' } });
    }
    expect(scheduled.state.queues.get('a')?.pace).toBe(pace);
  });

  it('is not judged by what the older version answers once an event has seen the newer one', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.loads = false;
    scheduled.accept(job('a', 2, { webhookVersion: 2 }));
    const results = resultsOf(scheduled.answer('a1', TIMED_OUT), scheduled.pass(10));
    expect(results).toMatchObject([{ version: 1, isOutdated: true }]);
  });

  it('is judged by what it answers itself', () => {
    const { scheduled, asked } = changed();
    const effects = scheduled.answer(scheduled.sent[asked.length] ?? '', GONE);
    const written = effects.find(({ kind }) => kind === 'write');
    expect(written).toMatchObject({
      batch: 'gone',
      results: [{ version: 2, isOutdated: false, fact: { data: { gone: true } } }],
    });
  });
});

describe('a webhook that is looked up again while it is asked', () => {
  it('is judged by its answer, since nothing says that it changed', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.loads = false;
    scheduled.do({ kind: 'webhookChanged', webhookId: 'a' });
    expect(scheduled.phase('a')).toBe('loading');
    const results = resultsOf(scheduled.answer('a1', TIMED_OUT), scheduled.pass(10));
    expect(results).toMatchObject([{ version: 1, isOutdated: false }]);
  });
});

describe('a shard', () => {
  it('is busy until the results of what was sent are written', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    const results = resultsOf(scheduled.answer('a1'), scheduled.pass(10));
    expect(isBusy(scheduled.state.inHand, 0)).toBe(true);
    scheduled.written(results);
    expect(isBusy(scheduled.state.inHand, 0)).toBe(false);
  });

  it('takes its queues along when it is lost, but not the requests under way', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 10));
    scheduled.do({ kind: 'shardLost', shard: 0 });
    expect(scheduled.state.inHand.ids.size).toBe(scheduled.underWay.size);
    finishAll(scheduled);
    scheduled.do({ kind: 'shardLost', shard: 0 });
    expect([...known(scheduled.state)]).toEqual([]);
  });
});

describe('a delivery that is finished while the table is read', () => {
  it('is not taken up again, though the read has it', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.do({ kind: 'readStarted' });
    finishAll(scheduled);
    scheduled.endRead(job('a', 1));
    expect(scheduled.sent).toEqual(['a1']);
  });
});

describe('results', () => {
  const answered = (count: number) => {
    const scheduled = new Scheduled();
    scheduled.accept(...Array.from({ length: count }, (_, n) => job(`w${n}.`, 1)));
    return scheduled;
  };

  it('are written together, in the order they came', () => {
    const scheduled = answered(3);
    scheduled.answerAll();
    const ids = resultsOf(scheduled.pass(5)).map(({ job }) => job.deliveryId);
    expect(ids).toEqual(['w0.1', 'w1.1', 'w2.1']);
  });

  it('go in batches of a bounded size, at once when one is full', () => {
    const scheduled = answered(1);
    const [result] = resultsOf(scheduled.answer('w0.1'), scheduled.pass(5));
    const { attempts } = scheduled.state.batches;
    if (result) attempts.waiting = Array.from({ length: 2 * RESULTS_BATCH_MAX + 1 }, () => result);
    expect(resultsOf(scheduled.written([]))).toHaveLength(RESULTS_BATCH_MAX);
    const batch = attempts.waiting.slice(0, RESULTS_BATCH_MAX);
    expect(resultsOf(scheduled.written(batch))).toHaveLength(RESULTS_BATCH_MAX);
    expect(resultsOf(scheduled.written(batch))).toEqual([]);
    expect(resultsOf(scheduled.pass(10))).toHaveLength(1);
  });

  it('wait for as long as writing takes, so that slow writes are few', () => {
    const scheduled = answered(3);
    scheduled.answer('w0.1');
    const results = resultsOf(scheduled.pass(5));
    scheduled.do({ kind: 'written', batch: 'attempts', results, tookMs: 5 });
    scheduled.answer('w1.1');
    expect(resultsOf(scheduled.pass(8))).toEqual([]);
    scheduled.answer('w2.1');
    expect(resultsOf(scheduled.pass(2))).toHaveLength(2);
  });

  it('are kept and written again after a failure, later each time', () => {
    const scheduled = answered(1);
    scheduled.answer('w0.1');
    const results = resultsOf(scheduled.pass(5));
    for (const waitMs of [100, 200, 400]) {
      scheduled.do({ kind: 'writeFailed', batch: 'attempts' });
      expect(resultsOf(scheduled.pass(waitMs - 1))).toEqual([]);
      expect(resultsOf(scheduled.pass(1))).toEqual(results);
    }
  });

  it('stop the sending when too many wait', () => {
    const scheduled = answered(1);
    const [result] = resultsOf(scheduled.answer('w0.1'), scheduled.pass(5));
    const { attempts } = scheduled.state.batches;
    if (result) attempts.waiting = Array.from({ length: RESULTS_MAX }, () => result);
    scheduled.accept(job('a', 1));
    expect(scheduled.sent).not.toContain('a1');
    scheduled.written(attempts.waiting.slice(0, 1));
    expect(scheduled.sent).toContain('a1');
  });
});

const opening = {
  kind: 'circuitChanged',
  webhookId: 'a',
  change: { to: 'open', probeAt: new Date(0), restMs: 1_000 },
} as const;

const kinds = (effects: readonly Effect[]) => effects.map(({ kind }) => kind);

const resultsOf = (...effects: readonly (readonly Effect[])[]): readonly Result[] =>
  effects.flat().flatMap((effect) => (effect.kind === 'write' ? effect.results : []));

/** Answers and writes everything. */
function finishAll(scheduled: Scheduled): void {
  scheduled.writes = true;
  while (scheduled.underWay.size > 0) scheduled.answerAll();
  scheduled.pass(100);
  scheduled.writes = false;
}

function loadOf(scheduled: Scheduled, id: string): void {
  scheduled.do({ kind: 'targetsLoaded', webhookIds: [id], targets: new Map([[id, target(id)]]) });
}

/** Returns a scheduler with one webhook for which something waits in the table. */
function overflowed(): Scheduled {
  const scheduled = new Scheduled();
  scheduled.accept(job('a', 1));
  finishAll(scheduled);
  scheduled.becomes('a', { version: 2, status: 'paused' });
  scheduled.accept(job('a', 2));
  scheduled.becomes('a', { version: 3 });
  expect(scheduled.phase('a')).toBe('overflowed');
  return scheduled;
}
