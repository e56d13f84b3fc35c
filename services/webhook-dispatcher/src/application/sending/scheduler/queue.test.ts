import { describe, expect, it } from '@jest/globals';
import { job, kinds, many, OPENING, Scheduled, target } from '../../../../test/scheduled.js';
import { roomOf } from './in-hand.js';
import { LOAD_MAX, QUEUE_JOBS_MAX } from './limits.js';
import type { Effect } from './messages.js';
import { type Circuit, isAtEase, newQueue, seenAs } from './queue.js';
import { blocked, known } from './reading.js';

describe('loading the webhook of a queue', () => {
  it('holds deliveries until the webhook is loaded, then sends them', () => {
    const scheduled = new Scheduled();
    scheduled.loads = false;
    const effects = scheduled.accept(job('a', 1));
    expect(kinds(effects)).toEqual(['load']);
    expect(scheduled.accept(job('a', 2))).toEqual([]);
    expect(scheduled.phase('a')).toBe('loading');
    expect([...known(scheduled.state)]).toEqual([['a', 0]]);
    scheduled.load('a');
    expect(scheduled.phase('a')).toBe('active');
    expect(scheduled.sent).toEqual(['a1', 'a2']);
  });

  it('loads so many webhooks at once as a statement takes', () => {
    const scheduled = new Scheduled();
    scheduled.loads = false;
    const jobs = Array.from({ length: LOAD_MAX + 1 }, (_, n) => job(`w${n}.`, 1));
    const [effect] = scheduled.accept(...jobs);
    const webhookIds = jobs.slice(0, LOAD_MAX).map(({ webhookId }) => webhookId);
    expect(effect).toEqual({ kind: 'load', webhookIds });
  });

  it('loads again after a failure only when that is asked for', () => {
    const scheduled = new Scheduled();
    scheduled.loads = false;
    scheduled.accept(job('a', 1));
    expect(scheduled.do({ kind: 'loadFailed', webhookIds: ['a'] })).toEqual([]);
    expect(kinds(scheduled.do({ kind: 'loadAgain' }))).toEqual(['load']);
  });

  it('holds what waits for a disabled webhook, and loads the webhook again for each later delivery', () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { status: 'disabled' }));
    const held: Effect = { kind: 'endPending', webhookId: 'a', as: 'held' };
    expect(scheduled.accept(job('a', 1))).toContainEqual(held);
    expect(scheduled.accept(job('a', 2))).toContainEqual(held);
    expect(scheduled.sent).toEqual([]);
  });

  it('loads again when a delivery has seen a newer version than the load found', () => {
    const scheduled = new Scheduled();
    scheduled.loads = false;
    scheduled.accept(job('a', 1, { webhookVersion: 2 }));
    const targets = new Map([['a', target('a')]]);
    const effects = scheduled.do({ kind: 'targetsLoaded', webhookIds: ['a'], targets });
    expect(kinds(effects)).toEqual(['load']);
    expect(scheduled.phase('a')).toBe('loading');
    expect(scheduled.sent).toEqual([]);
  });

  it('cancels what waits and deletes the queue when the webhook is gone', () => {
    const scheduled = new Scheduled();
    scheduled.loads = false;
    scheduled.accept(job('a', 1));
    const effects = scheduled.do({ kind: 'targetsLoaded', webhookIds: ['a'], targets: new Map() });
    expect(effects).toContainEqual({ kind: 'endPending', webhookId: 'a', as: 'cancelled' });
    expect([...known(scheduled.state)]).toEqual([]);
  });
});

describe('filling a queue', () => {
  it('leaves deliveries without room to the table, and sends later ones behind them', () => {
    const scheduled = new Scheduled();
    scheduled.loads = false;
    scheduled.accept(...many('a', QUEUE_JOBS_MAX + 1));
    expect(blocked(scheduled.state)).toEqual(['a']);
    scheduled.load('a');
    expect(scheduled.phase('a')).toBe('overflowed');
    scheduled.finishAll();
    const [next, last] = [QUEUE_JOBS_MAX + 2, QUEUE_JOBS_MAX + 3];
    scheduled.accept(job('a', next));
    expect(scheduled.sent.at(-1)).toBe(`a${QUEUE_JOBS_MAX}`);

    scheduled.do({ kind: 'readStarted' });
    scheduled.do({ kind: 'readAllOf', webhookIds: ['a'] });
    expect(scheduled.phase('a')).toBe('active');
    scheduled.endRead(job('a', next - 1), job('a', next));
    scheduled.accept(job('a', last));
    expect(scheduled.sent.slice(-3)).toEqual([`a${next - 1}`, `a${next}`, `a${last}`]);
  });

  it('takes fresh deliveries again once a read that turned none away has found all that was due', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.finishAll();
    scheduled.becomes('a', { version: 2, status: 'paused' });
    scheduled.accept(job('a', 2));
    scheduled.becomes('a', { version: 3 });
    scheduled.do({ kind: 'readStarted' });
    scheduled.accept(job('a', 9));
    scheduled.do({ kind: 'readAllOf', webhookIds: ['a'] });
    expect(scheduled.phase('a')).toBe('overflowed');
    scheduled.do({ kind: 'readStarted' });
    scheduled.do({ kind: 'readAllOf', webhookIds: ['a', 'gone'] });
    expect(scheduled.phase('a')).toBe('active');
  });
});

describe('deliveries that a replay sends', () => {
  it('let every live one go first, and keep their order', () => {
    const scheduled = new Scheduled();
    scheduled.loads = false;
    const replayed = many('a', 6).map((one) => ({ ...one, isReplay: true }));
    scheduled.read(...replayed);
    scheduled.accept(job('a', 7));
    scheduled.read(job('a', 8));
    scheduled.load('a');
    while (scheduled.underWay.size > 0) scheduled.finishAll();
    expect(scheduled.sent).toEqual(['a7', 'a8', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
  });
});

describe('pausing a webhook', () => {
  it('leaves its deliveries to the table, where they take no room, until it is resumed', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 100));
    const empty = roomOf(new Scheduled().state.inHand);
    scheduled.becomes('a', { version: 2, status: 'paused' });
    expect(scheduled.phase('a')).toBe('resting');
    expect(roomOf(scheduled.state.inHand)).toBe(empty - scheduled.underWay.size);
    expect(blocked(scheduled.state)).toEqual(['a']);
    expect(kinds(scheduled.becomes('a', { version: 3 }))).toContain('read');
    expect(scheduled.phase('a')).toBe('overflowed');
    expect(kinds(scheduled.becomes('a', { version: 3 }))).not.toContain('read');
  });

  it('is not ended by a read that finds nothing of it', () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { status: 'paused' }));
    scheduled.accept(job('a', 1));
    scheduled.do({ kind: 'readStarted' });
    scheduled.do({ kind: 'readAllOf', webhookIds: ['a'] });
    expect(scheduled.phase('a')).toBe('resting');
    scheduled.becomes('a', {});
    expect(scheduled.phase('a')).toBe('active');
  });
});

describe('opening a circuit', () => {
  it('sends nothing until the circuit is half open, and then one probe', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 10));
    const opened = scheduled.do(OPENING);
    const lastSent = { kind: 'draft.created', version: 1 };
    expect(opened).toMatchObject([{ kind: 'keepCircuit', lastSent }]);
    expect(scheduled.phase('a')).toBe('resting');
    expect(scheduled.state.inHand.ids.size).toBe(scheduled.underWay.size);
    scheduled.finishAll();
    scheduled.read(...many('a', 10));
    const before = scheduled.sent.length;
    const change = { to: 'half-open' } as const;
    const halfOpened = scheduled.do({ kind: 'circuitChanged', webhookId: 'a', change });
    expect(kinds(halfOpened)).toContain('read');
    scheduled.read(...many('a', 20).slice(10));
    expect(scheduled.sent.length).toBe(before + 1);
    expect(scheduled.circuit('a')).toBe('probing');
    scheduled.do({ kind: 'circuitChanged', webhookId: 'a', change: { to: 'closed' } });
    expect(scheduled.sent.length).toBeGreaterThan(before + 1);
  });

  it('changes nothing when the webhook has no queue', () => {
    const scheduled = new Scheduled();
    expect(scheduled.do(OPENING)).toEqual([]);
    expect(scheduled.do({ kind: 'circuitRestored', webhookId: 'a', circuit: 'open' })).toEqual([]);
    scheduled.load('a');
    expect([...known(scheduled.state)]).toEqual([]);
  });

  it('stores nothing after the shard has gone', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.epoch = '2';
    expect(kinds(scheduled.do(OPENING))).not.toContain('keepCircuit');
  });

  it('sends nothing either when the last owner of the shard left the circuit open', () => {
    const scheduled = new Scheduled();
    const rest = { probeAt: new Date(0), restMs: 1_000 };
    scheduled.targets.set('a', target('a', { rest }));
    expect(scheduled.accept(job('a', 1))).toContainEqual({
      kind: 'restoreCircuit',
      webhookId: 'a',
      rest,
      otherwise: 'unknown',
    });
    expect(scheduled.phase('a')).toBe('resting');
    expect(scheduled.sent).toEqual([]);
    scheduled.do({ kind: 'circuitRestored', webhookId: 'a', circuit: 'unknown' });
    scheduled.read(job('a', 1));
    expect(scheduled.sent).toEqual(['a1']);
  });
});

describe('a circuit', () => {
  it.each<[Circuit, number, boolean]>([
    ['unknown', 31, true],
    ['suspected', 1, true],
    ['suspected', 2, false],
    ['open', 0, false],
    ['half-open', 0, true],
    ['probing', 0, false],
  ])('that is %s while %d attempts are under way lets one more through: %j', (...one) => {
    const [circuit, underWay, isThrough] = one;
    expect(isAtEase({ ...newQueue('a', 0), circuit }, underWay)).toBe(isThrough);
  });

  it.each<[Circuit, boolean, Circuit]>([
    ['unknown', true, 'suspected'],
    ['suspected', true, 'suspected'],
    ['suspected', false, 'unknown'],
    ['open', false, 'open'],
    ['half-open', true, 'half-open'],
    ['probing', false, 'probing'],
  ])('that is %s when an attempt ends is then, by its breaker (%j), %s', (before, has, then) => {
    expect(seenAs(before, has)).toBe(then);
  });

  it('that opens while its webhook is loading leaves the phase to the load', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.loads = false;
    scheduled.do({ kind: 'webhookChanged', webhookId: 'a' });
    scheduled.do(OPENING);
    expect(scheduled.phase('a')).toBe('loading');
  });
});
