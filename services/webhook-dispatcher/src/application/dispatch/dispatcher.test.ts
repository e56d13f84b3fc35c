import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@junction/testing';
import type { Circuits, OnCircuitChange } from './circuits.js';
import { Dispatcher } from './dispatcher.js';
import type { AttemptRecord, Job, Rest, Result, Target } from './job.js';
import { judgeWith } from './judge.js';
import type { OrderedWork } from './ordered-work.js';
import { LIMIT_MAX } from './pace.js';
import { QUEUE_JOBS_MAX } from './webhook-queues.js';

describe('the dispatcher', () => {
  it('sends the jobs of a webhook in the order they came', async () => {
    const { dispatcher, sent } = dispatching({ atOnce: 1 });
    dispatcher.accept([job('a', 1), job('a', 2), job('a', 3)]);
    await settled();
    expect(sent).toEqual(['a1', 'a2', 'a3']);
  });

  it('takes turns among webhooks, so that a long queue does not hold up the others', async () => {
    const { dispatcher, sent, open } = dispatching({ atOnce: 1, hang: true });
    dispatcher.accept([...many('a', 100), job('b', 1)]);
    await settled();
    expect(sent).toEqual(['a1', 'b1']);
    open('a1');
    await settled();
    expect(sent).toEqual(['a1', 'b1', 'a2']);
  });

  it('has few attempts under way to one that it does not know', async () => {
    const { dispatcher, sent } = dispatching({ hang: true, atOnce: 100 });
    dispatcher.accept(many('a', 100));
    await settled();
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThan(LIMIT_MAX);
  });

  it('sends nothing while the results of what was sent cannot be written', async () => {
    const { dispatcher, sent, world } = dispatching();
    world.hasRoom = false;
    dispatcher.accept([job('a', 1)]);
    await settled();
    expect(sent).toEqual([]);
  });

  it('leaves what comes for a paused webhook in the table until that is resumed', async () => {
    const { dispatcher, sent, targets, woken } = dispatching();
    targets.set('a', target('a', { status: 'paused' }));
    dispatcher.accept([job('a', 1)]);
    await settled();
    expect(sent).toEqual([]);
    expect(dispatcher.blocked()).toEqual(['a']);

    const before = woken();
    targets.set('a', target('a', { version: 2 }));
    dispatcher.webhookChanged('a');
    await settled();
    expect(woken()).toBeGreaterThan(before);
    dispatcher.beginRead();
    dispatcher.readEverything([]);
    dispatcher.acceptDue([job('a', 1)]);
    await settled();
    expect(sent).toEqual(['a1']);
  });

  it('is not filled up by paused webhooks, however much waits for them', async () => {
    const { dispatcher, sent, targets } = dispatching();
    const names = Array.from({ length: 20 }, (_, n) => `p${n}`);
    for (const name of names) targets.set(name, target(name, { status: 'paused' }));
    for (const name of names) dispatcher.accept(many(name, 256));
    await settled();
    for (const name of names) dispatcher.accept(many(name, 256));
    dispatcher.accept([job('b', 1)]);
    await settled();
    expect(sent).toEqual(['b1']);
  });

  it('is not filled up by webhooks whose circuit opens over a long queue', async () => {
    const { dispatcher, circuit, world } = dispatching();
    const empty = dispatcher.room();
    world.permits = false;
    dispatcher.accept(many('a', 256));
    await settled();
    expect(dispatcher.room()).toBe(empty - 256);
    world.isOpen = true;
    circuit('a', { to: 'open', probeAt: new Date(0), restMs: 1_000 });
    expect(dispatcher.room()).toBe(empty);
    dispatcher.accept(many('a', 256));
    expect(dispatcher.room()).toBe(empty);
  });

  it('ends what waits for a webhook that is disabled or gone', async () => {
    const { dispatcher, sent, targets, ended } = dispatching();
    targets.set('a', target('a', { status: 'disabled' }));
    targets.delete('b');
    dispatcher.accept([job('a', 1), job('b', 1)]);
    await settled();
    expect(sent).toEqual([]);
    expect(ended).toEqual(['a held', 'b cancelled']);
    expect(dispatcher.room()).toBe(dispatching().dispatcher.room());
  });

  it('sends nothing to a webhook as it was before the event that matched it', async () => {
    const { dispatcher, sentTo, targets } = dispatching();
    targets.set('a', target('a', { url: 'https://old' }));
    dispatcher.accept([job('a', 1)]);
    await settled();
    targets.set('a', target('a', { version: 2, url: 'https://new' }));
    dispatcher.accept([{ ...job('a', 2), webhookVersion: 2 }]);
    await settled();
    expect(sentTo).toEqual(['https://old', 'https://new']);
  });
});

describe('webhooks that never answer', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => void jest.useRealTimers());
  const passed = async (ms: number) => jest.advanceTimersByTimeAsync(ms);

  it('begin a few at a time, and hold up nobody who answers', async () => {
    const { dispatcher, sent, open, hanging } = dispatching({ hang: true });
    dispatcher.accept([job('a', 1)]);
    await passed(0);
    open('a1');
    await passed(0);
    dispatcher.accept(Array.from({ length: 900 }, (_, n) => job(`w${n}`, 1)));
    await passed(0);
    const begun = hanging();
    expect(begun).toBeLessThan(100);
    dispatcher.accept([job('a', 2)]);
    await passed(0);
    expect(sent.at(-1)).toBe('a2');
    await passed(10);
    expect(hanging()).toBeGreaterThan(begun + 1);
  });

  it('go on to begin a few at a time when the first of them have shown that they hang', async () => {
    const { dispatcher, world, hanging } = dispatching({ hang: true });
    dispatcher.accept(Array.from({ length: 3_000 }, (_, n) => job(`w${n}`, 1)));
    await passed(0);
    const begun: number[] = [];
    for (let tick = 0; tick < 100; tick++) {
      const before = hanging();
      world.nowMs += 10;
      await passed(10);
      begun.push(hanging() - before);
    }
    expect(Math.min(...begun)).toBeGreaterThan(0);
    expect(Math.max(...begun)).toBeLessThan(10);
  });

  it('begin a few at a time when they are known to fail, and take nothing from first tries', async () => {
    const { dispatcher, targets, sent, hanging } = dispatching({ hang: true });
    const failing = Array.from({ length: 100 }, (_, n) => `failing${n}`);
    for (const id of failing) targets.set(id, target(id, { isFailing: true }));
    dispatcher.accept(failing.map((id) => job(id, 1)));
    await passed(0);
    const begun = hanging();
    expect(begun).toBeLessThan(100);
    dispatcher.accept(Array.from({ length: 100 }, (_, n) => job(`w${n}`, 1)));
    await passed(0);
    expect(sent.filter((id) => id.startsWith('w'))).toHaveLength(begun);
  });

  it('leave those that do their places, however many they are', async () => {
    const { dispatcher, sent, open } = dispatching({ hang: true });
    dispatcher.accept([job('a', 1)]);
    await passed(5_000);
    open('a1');
    await passed(5_000);
    dispatcher.accept(Array.from({ length: 3_000 }, (_, n) => job(`w${n}`, 1)));
    await passed(5_000);
    dispatcher.accept(many('a', 100));
    await passed(5_000);
    expect(sent.filter((id) => id.startsWith('a')).length).toBeGreaterThan(1);
  });

  it('leave room to others', async () => {
    const { dispatcher } = dispatching({ hang: true });
    const empty = dispatcher.room();
    dispatcher.accept(Array.from({ length: 10_000 }, (_, n) => job(`w${n}`, 1)));
    await passed(5_000);
    expect(dispatcher.room()).toBeGreaterThan(empty / 3);
  });

  it('leave room to what is due in the table, and have the reader woken when there is more of it', async () => {
    const { dispatcher, woken } = dispatching({ hang: true });
    const hanging = Array.from({ length: 10_000 }, (_, n) => job(`w${n}`, 1));
    dispatcher.accept(hanging);
    const kept = dispatcher.roomForOthers();
    expect(kept).toBeGreaterThan(0);
    expect(woken()).toBe(0);
    await passed(5_000);
    const room = dispatcher.roomForOthers();
    expect(room).toBeGreaterThan(kept);
    expect(woken()).toBe(1);
    dispatcher.beginRead();
    expect(dispatcher.acceptDue(hanging.slice(-1_000))).toBe(1_000 - room);
    expect(dispatcher.roomForOthers()).toBe(0);
  });

  it('leave places to those that were never tried, once they are known to fail', async () => {
    const { dispatcher, targets, sent } = dispatching({ hang: true });
    const failing = Array.from({ length: 2_000 }, (_, n) => `failing${n}`);
    for (const id of failing) targets.set(id, target(id, { isFailing: true }));
    dispatcher.accept(failing.map((id) => job(id, 1)));
    await passed(5_000);
    dispatcher.accept([job('a', 1)]);
    await passed(5_000);
    expect(sent.at(-1)).toBe('a1');
  });

  it('leave places to those that answer late', async () => {
    const { dispatcher, world, sent, open } = dispatching({ hang: true });
    world.takesMs = 600;
    dispatcher.accept([job('a', 1)]);
    await passed(5_000);
    open('a1');
    await passed(5_000);
    dispatcher.accept(Array.from({ length: 3_000 }, (_, n) => job(`w${n}`, 1)));
    await passed(5_000);
    dispatcher.accept([job('a', 2)]);
    await passed(5_000);
    expect(sent.at(-1)).toBe('a2');
  });

  it('lose their places among the quick while they are under way', async () => {
    const { dispatcher, sent, open, world } = dispatching({ hang: true });
    const quick = Array.from({ length: 128 }, (_, n) => job(`w${n}`, 1));
    dispatcher.accept([...quick, job('a', 1)]);
    await passed(5_000);
    for (const { deliveryId } of [...quick, job('a', 1)]) open(deliveryId);
    await passed(5_000);

    dispatcher.accept(quick.map(({ webhookId }) => job(webhookId, 2)));
    dispatcher.accept([job('a', 2)]);
    await passed(5_000);
    expect(sent).not.toContain('a2');
    world.nowMs += 501;
    await passed(100);
    expect(sent).toContain('a2');
  });
});

describe('what comes in', () => {
  it('is left to the table beyond what its user may send, and the reader is told', async () => {
    const { dispatcher, sent, world, woken } = dispatching();
    world.admits = false;
    const before = woken();
    dispatcher.accept([job('a', 1)]);
    await settled();
    expect(sent).toEqual([]);
    expect(woken()).toBeGreaterThan(before);
    world.admits = true;
    dispatcher.accept([job('a', 2)]);
    await settled();
    expect(sent).toEqual([]);
    dispatcher.beginRead();
    expect(dispatcher.acceptDue([job('a', 1), job('a', 2)])).toBe(0);
    await settled();
    expect(sent).toEqual(['a1', 'a2']);
  });

  it('counts once for its user, for however many webhooks it is', () => {
    const { dispatcher, world } = dispatching();
    dispatcher.accept(['a', 'b', 'w1'].map((webhookId) => job(webhookId, 1)));
    expect(world.asked).toBe(1);
  });

  it('for another replica makes a call', () => {
    const { dispatcher, world } = dispatching();
    dispatcher.accept([job('a', 1)]);
    expect(world.calls).toBe(0);
    world.epoch = undefined;
    dispatcher.accept([job('a', 2), job('b', 1)]);
    expect(world.calls).toBe(1);
  });

  it('waits while webhooks that answer have much to do, until it is written', async () => {
    const { dispatcher, results } = dispatching();
    dispatcher.accept(many('a', 500));
    await settled();
    expect(await isReady(dispatcher)).toBe(true);
    dispatcher.accept(many('b', 500));
    await settled();
    expect(await isReady(dispatcher)).toBe(false);
    const ready = dispatcher.ready();
    dispatcher.written(results);
    await ready;
    expect(await isReady(dispatcher)).toBe(true);
  });

  it('waits for webhooks that were never tried, until they show that they are slow', async () => {
    const { dispatcher, world } = dispatching({ hang: true });
    dispatcher.accept([...many('a', 600), ...many('b', 600)]);
    await settled();
    expect(await isReady(dispatcher)).toBe(false);
    world.nowMs = 501;
    await eventually(async () => expect(await isReady(dispatcher)).toBe(true));
    expect(dispatcher.blocked()).toEqual(['a', 'b']);
  });

  it('does not wait for those whose answers take long, however many they are', async () => {
    const { dispatcher, world } = dispatching({ hang: true });
    dispatcher.accept(Array.from({ length: 1_100 }, (_, n) => job(`w${n}`, 1)));
    await settled();
    world.nowMs = 501;
    await eventually(async () => expect(await isReady(dispatcher)).toBe(true));
  });

  it('does not wait for first tries that wait for what others answer, however many they are', async () => {
    const { dispatcher } = dispatching({ hang: true });
    dispatcher.accept(Array.from({ length: 3_000 }, (_, n) => job(`w${n}`, 1)));
    await eventually(async () => expect(await isReady(dispatcher)).toBe(true));
  });
});

/** Without waiting for it. */
const isReady = (dispatcher: Dispatcher) =>
  Promise.race([
    dispatcher.ready().then(() => true),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ]);

describe('a shard that is not ours', () => {
  it('gets nothing sent', async () => {
    const { dispatcher, sent, world } = dispatching();
    world.epoch = undefined;
    dispatcher.accept([job('a', 1)]);
    await settled();
    expect(sent).toEqual([]);
  });

  it('has its queue dropped in the moment its lease runs out', async () => {
    const { dispatcher, sent, world, open } = dispatching({ atOnce: 1, hang: true });
    dispatcher.accept([job('a', 1), job('a', 2)]);
    await settled();
    world.epoch = undefined;
    open('a1');
    await settled();
    world.epoch = '2';
    dispatcher.acceptDue([]);
    await settled();
    expect(sent).toEqual(['a1']);
    expect(dispatcher.beginRead()).toEqual(['a1']);
  });

  it('is forgotten with its circuits, which another may open and close meanwhile', async () => {
    const { dispatcher, dropped, results } = dispatching();
    dispatcher.accept([job('a', 1), { ...job('b', 1), shard: 1 }]);
    await settled();
    dispatcher.written(results);
    dispatcher.dropShard(0);
    expect([...dispatcher.known().keys()]).toEqual(['b']);
    expect(dropped).toEqual(['a']);
  });

  it('has the circuit forgotten of what is still under way, and what becomes of it kept from whoever has it now', async () => {
    const { dispatcher, circuit, dropped, told, world } = dispatching({ hang: true });
    dispatcher.accept([job('a', 1)]);
    await settled();
    circuit('a', { to: 'closed' });
    world.epoch = undefined;
    dispatcher.dropShard(0);
    expect(dropped).toEqual(['a']);
    circuit('a', { to: 'open', probeAt: new Date(0), restMs: 1_000 });
    world.epoch = '2';
    circuit('a', { to: 'closed' });
    expect(told).toEqual(['a closed']);
  });

  it('that comes back has its circuits as the table has them, though nobody had it meanwhile', async () => {
    const { dispatcher, targets, restored } = dispatching({ hang: true });
    dispatcher.accept([job('a', 1)]);
    await settled();
    const rest = { probeAt: new Date('2030-01-01T00:00:00Z'), restMs: 60_000 };
    targets.set('a', target('a', { rest }));
    dispatcher.dropShard(0);
    dispatcher.acceptDue([job('a', 2)]);
    await settled();
    expect(restored).toEqual([['a', rest]]);
  });

  it('is busy until the results of what was sent are written', async () => {
    const { dispatcher, results } = dispatching();
    dispatcher.accept([job('a', 1)]);
    await settled();
    expect(dispatcher.busy(0)).toBe(true);
    dispatcher.written(results);
    expect(dispatcher.busy(0)).toBe(false);
  });
});

describe('what is read from the table', () => {
  it('is left alone when it is in hand already', async () => {
    const { dispatcher, sent } = dispatching({ hang: true });
    dispatcher.accept([job('a', 1)]);
    await settled();
    expect(dispatcher.beginRead()).toEqual(['a1']);
    dispatcher.acceptDue([job('a', 1)]);
    await settled();
    expect(sent).toEqual(['a1']);
  });

  it('is not sent again when it was finished while the read was on', async () => {
    const { dispatcher, sent, results } = dispatching();
    expect(dispatcher.beginRead()).toEqual([]);
    dispatcher.accept([job('a', 1)]);
    await settled();
    dispatcher.written(results);
    dispatcher.acceptDue([job('a', 1)]);
    await settled();
    expect(sent).toEqual(['a1']);
  });

  it('goes before what comes later, once the queue was full', async () => {
    const { dispatcher, sent, world } = dispatching({ atOnce: 1 });
    world.permits = false;
    dispatcher.accept(many('a', QUEUE_JOBS_MAX + 1));
    await settled();
    expect(dispatcher.blocked()).toEqual(['a']);
    world.permits = true;
    dispatcher.webhookChanged('a');
    const [next, last] = [QUEUE_JOBS_MAX + 2, QUEUE_JOBS_MAX + 3];
    dispatcher.accept([job('a', next)]);
    await settled();
    expect(sent.at(-1)).toBe(`a${QUEUE_JOBS_MAX}`);

    dispatcher.beginRead();
    dispatcher.readEverything([]);
    dispatcher.acceptDue([job('a', next - 1), job('a', next)]);
    dispatcher.accept([job('a', last)]);
    await settled();
    expect(sent.slice(-3)).toEqual([`a${next - 1}`, `a${next}`, `a${last}`]);
  });
});

describe('what quick webhooks have in the table', () => {
  it('is read by itself, and then goes before what comes later only as long as it lasts', async () => {
    const { dispatcher, sent, world } = dispatching();
    dispatcher.accept([job('a', 1), job('b', 1)]);
    await settled();
    expect(dispatcher.quick()).toEqual(['a', 'b']);
    world.admits = false;
    dispatcher.accept([job('a', 2)]);
    world.admits = true;
    dispatcher.accept([job('a', 3)]);
    await settled();
    expect(sent).toEqual(['a1', 'b1']);

    dispatcher.beginRead();
    dispatcher.readAllOf(['a', 'gone']);
    dispatcher.acceptDue([job('a', 2), job('a', 3)]);
    dispatcher.accept([job('a', 4)]);
    await settled();
    expect(sent).toEqual(['a1', 'b1', 'a2', 'a3', 'a4']);
  });

  it('is not all of it, when some was turned away while it was read', async () => {
    const { dispatcher, sent, world } = dispatching();
    dispatcher.accept([job('a', 1)]);
    await settled();
    dispatcher.beginRead();
    world.admits = false;
    dispatcher.accept([job('a', 2)]);
    world.admits = true;
    dispatcher.readAllOf(['a']);
    dispatcher.acceptDue([]);
    dispatcher.accept([job('a', 3)]);
    await settled();
    expect(sent).toEqual(['a1']);
  });

  it('is left alone while they are blocked, and that of slow ones too', async () => {
    const { dispatcher, world } = dispatching();
    world.takesMs = 600;
    dispatcher.accept([job('a', 1)]);
    await settled();
    world.takesMs = 1;
    dispatcher.accept([job('b', 1)]);
    await settled();
    expect(dispatcher.quick()).toEqual(['b']);
    world.isOpen = true;
    expect(dispatcher.quick()).toEqual([]);
  });
});

describe('a circuit', () => {
  it('that is open keeps its webhook out of the reads, and closes with its owner told', async () => {
    const { dispatcher, sent, circuit, told, world, woken } = dispatching();
    world.permits = false;
    world.isOpen = true;
    dispatcher.accept([job('a', 1)]);
    await settled();
    expect(sent).toEqual([]);
    expect(dispatcher.blocked()).toEqual(['a']);

    world.permits = true;
    world.isOpen = false;
    const before = woken();
    circuit('a', { to: 'half-open' });
    expect(woken()).toBe(before + 1);
    dispatcher.beginRead();
    dispatcher.acceptDue([job('a', 1)]);
    await settled();
    expect(sent).toEqual(['a1']);
    expect(told).toEqual(['a half-open']);
  });

  it('that was open when its last owner ended is taken up', async () => {
    const { dispatcher, targets, restored } = dispatching();
    const rest = { probeAt: new Date('2030-01-01T00:00:00Z'), restMs: 60_000 };
    targets.set('a', target('a', { rest }));
    dispatcher.accept([job('a', 1)]);
    await settled();
    expect(restored).toEqual([['a', rest]]);
  });

  it('that another owner opened meanwhile is taken up too', async () => {
    const { dispatcher, targets, restored, dropped, world } = dispatching({ hang: true });
    dispatcher.accept([job('a', 1)]);
    await settled();
    dispatcher.dropShard(0);
    const rest = { probeAt: new Date('2030-01-01T00:00:00Z'), restMs: 60_000 };
    targets.set('a', target('a', { version: 2, rest }));
    world.epoch = '2';
    dropped.length = 0;
    dispatcher.accept([job('a', 2)]);
    expect(dropped).toEqual(['a']);
    await settled();
    expect(restored.at(-1)).toEqual(['a', rest]);
  });

  it('is forgotten when the webhook moves to another url', async () => {
    const { dispatcher, targets, dropped } = dispatching();
    dispatcher.accept([job('a', 1)]);
    await settled();
    targets.set('a', target('a', { version: 2, url: 'https://elsewhere' }));
    dispatcher.webhookChanged('a');
    await settled();
    expect(dropped).toEqual(['a']);
  });
});

describe('an ordered webhook', () => {
  it('is sent what the table has, one after the other', async () => {
    const { dispatcher, sent, results, ordered } = dispatching();
    ordered('a');
    dispatcher.accept([job('a', 2)]);
    await settled();
    expect(sent).toEqual([]);
    expect(dispatcher.orderedWaiting()).toEqual(['a']);

    dispatcher.acceptOrdered(['a'], waiting([job('a', 1), job('a', 2)]));
    await settled();
    expect(sent).toEqual(['a1']);
    expect(dispatcher.orderedWaiting()).toEqual([]);
    dispatcher.written(results.splice(0));
    await settled();
    expect(sent).toEqual(['a1', 'a2']);
  });

  it('holds the rest while one fails, until the table has it again', async () => {
    const { dispatcher, sent, results, ordered, world, woken } = dispatching();
    ordered('a', { retry: { delaysMs: [1_000] } });
    dispatcher.accept([job('a', 1)]);
    await settled();
    world.fails = true;
    dispatcher.acceptOrdered(['a'], waiting([job('a', 1), job('a', 2)]));
    await settled();
    expect(sent).toEqual(['a1']);
    expect(dispatcher.orderedWaiting()).toEqual([]);
    expect(dispatcher.room()).toBe(dispatching().dispatcher.room() - 1);

    const before = woken();
    dispatcher.written(results.splice(0));
    expect(woken()).toBeGreaterThan(before);
    expect(dispatcher.orderedWaiting()).toEqual(['a']);
    dispatcher.acceptOrdered(['a'], new Map([['a', { waitMs: 900, jobs: [] }]]));
    expect(dispatcher.orderedWaiting()).toEqual([]);
    world.nowMs = 900;
    expect(dispatcher.orderedWaiting()).toEqual(['a']);
    world.fails = false;
    dispatcher.acceptOrdered(['a'], waiting([{ ...job('a', 1), attempt: 2 }, job('a', 2)]));
    await settled();
    dispatcher.written(results.splice(0));
    await settled();
    expect(sent).toEqual(['a1', 'a1', 'a2']);
  });

  it('is left out of other reads, and forgotten when nothing waits any more', async () => {
    const { dispatcher, sent, ordered } = dispatching();
    ordered('a');
    dispatcher.accept([job('a', 1)]);
    await settled();
    expect(dispatcher.blocked()).toEqual(['a']);
    dispatcher.beginRead();
    dispatcher.acceptDue([job('a', 2)]);
    expect(sent).toEqual([]);
    dispatcher.beginRead();
    dispatcher.acceptOrdered(['a'], new Map());
    expect(dispatcher.orderedWaiting()).toEqual([]);
  });

  it('is found among what is due when another replica filed what is for it', async () => {
    const { dispatcher, ordered, woken } = dispatching();
    ordered('a');
    dispatcher.accept([job('a', 1)]);
    await settled();
    dispatcher.beginRead();
    dispatcher.acceptDue([]);
    dispatcher.acceptOrdered(['a'], new Map());
    expect(dispatcher.orderedWaiting()).toEqual([]);

    expect(dispatcher.blocked()).toEqual([]);
    dispatcher.beginRead();
    const before = woken();
    dispatcher.acceptDue([job('a', 2)]);
    expect(woken()).toBeGreaterThan(before);
    expect(dispatcher.orderedWaiting()).toEqual(['a']);
    expect(dispatcher.blocked()).toEqual(['a']);
  });

  it("is not read while its shard is somebody else's, and anew when that comes back", async () => {
    const { dispatcher, ordered, world } = dispatching();
    ordered('a');
    dispatcher.accept([job('a', 1)]);
    await settled();
    dispatcher.acceptOrdered(['a'], new Map([['a', { waitMs: 60_000, jobs: [] }]]));
    world.epoch = undefined;
    dispatcher.dropShard(0);
    world.nowMs = 60_000;
    expect(dispatcher.orderedWaiting()).toEqual([]);

    world.nowMs = 0;
    world.epoch = '3';
    expect(dispatcher.blocked()).toEqual([]);
    dispatcher.beginRead();
    dispatcher.acceptDue([job('a', 2)]);
    await settled();
    expect(dispatcher.orderedWaiting()).toEqual(['a']);
  });

  it('has what was queued before read again in its order, once it becomes ordered', async () => {
    const { dispatcher, sent, ordered, open } = dispatching({ atOnce: 1, hang: true });
    dispatcher.accept([job('a', 1), job('a', 2)]);
    await settled();
    ordered('a', { version: 2 });
    dispatcher.webhookChanged('a');
    await settled();
    open('a1');
    await settled();
    expect(sent).toEqual(['a1']);
  });
});

describe('a webhook with a rate limit', () => {
  it('is sent the next when its time has come, and keeps no more in memory than it can be sent', async () => {
    const { dispatcher, sent, targets, world } = dispatching();
    targets.set('a', target('a', { rateLimit: 10 }));
    dispatcher.accept([job('a', 1)]);
    await settled();
    dispatcher.accept(many('a', 12).slice(1));
    await settled();
    expect(sent).toEqual(['a1']);
    expect(dispatcher.blocked()).toEqual(['a']);

    world.nowMs = 100;
    await eventually(async () => expect(sent).toEqual(['a1', 'a2']));
  });
});

const waiting = (jobs: readonly Job[]): OrderedWork => new Map([['a', { waitMs: 0, jobs }]]);

const running: Dispatcher[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((dispatcher) => dispatcher.stop(0)));
});

/** A dispatcher whose every need is a few lines of memory. */
function dispatching({ atOnce = 8, hang = false } = {}) {
  const world = {
    epoch: '1' as string | undefined,
    hasRoom: true,
    permits: true,
    isOpen: false,
    admits: true,
    asked: 0,
    calls: 0,
    fails: false,
    takesMs: accepted.totalMs,
    nowMs: 0,
  };
  const targets = new Map('ab'.split('').map((id) => [id, target(id)]));
  const sent: string[] = [];
  const sentTo: string[] = [];
  const results: Result[] = [];
  const ended: string[] = [];
  const told: string[] = [];
  const restored: [string, Rest][] = [];
  const dropped: string[] = [];
  const waiting = new Map<string, () => void>();
  let circuit: OnCircuitChange = () => {};
  let wakes = 0;

  const circuits = (onChange: OnCircuitChange): Circuits => {
    circuit = onChange;
    return {
      run: async (_, attempt) => attempt(),
      permits: (_, underWay) => world.permits && underWay < atOnce,
      isOpen: () => world.isOpen,
      restore: (...one) => void restored.push(one),
      drop: (id) => void dropped.push(id),
      stop() {},
    };
  };

  const dispatcher = new Dispatcher({
    epochOf: () => world.epoch,
    async send({ deliveryId }, { url }) {
      sent.push(deliveryId);
      sentTo.push(url);
      if (hang) await new Promise<void>((resolve) => waiting.set(deliveryId, resolve));
      return world.fails ? failed : { ...accepted, totalMs: world.takesMs };
    },
    judge: judgeWith(
      { delaysMs: [] },
      () => new Date(0),
      () => 0,
    ),
    push: (result) => void results.push(result),
    hasRoom: () => world.hasRoom,
    circuits,
    onCircuitChange: (id, { to }) => void told.push(`${id} ${to}`),
    loadTargets: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const found = targets.get(id) ?? (/^w\d/.test(id) ? target(id) : undefined);
          return found ? [[id, found] as const] : [];
        }),
      ),
    settle: (id, ending) => void ended.push(`${id} ${ending}`),
    admits() {
      world.asked++;
      return world.admits;
    },
    tellOthers: () => void world.calls++,
    monotonicMs: () => world.nowMs,
    wakeReader: () => void wakes++,
    onError(error) {
      throw error;
    },
  });
  running.push(dispatcher);
  const open = (id: string) => {
    waiting.get(id)?.();
    waiting.delete(id);
  };
  const ordered = (id: string, as: Partial<Target> = {}) =>
    targets.set(id, target(id, { ordered: true, ...as }));
  const say: OnCircuitChange = (...change) => circuit(...change);
  return {
    dispatcher,
    world,
    targets,
    ordered,
    sent,
    sentTo,
    results,
    ended,
    told,
    restored,
    dropped,
    open,
    circuit: say,
    hanging: () => waiting.size,
    woken: () => wakes,
  };
}

const accepted: AttemptRecord = {
  startedAt: new Date(0),
  outcome: { kind: 'succeeded' },
  result: 'succeeded',
  httpStatus: 200,
  headersMs: 1,
  totalMs: 1,
  connection: { dnsMs: null, connectMs: null, tlsMs: null },
  headers: Buffer.alloc(0),
  sample: Buffer.alloc(0),
};

const failed: AttemptRecord = {
  ...accepted,
  outcome: { kind: 'failed', reason: 'http_500', retryAfterMs: 0 },
  result: 'http_500',
};

/** Nothing here waits for a timer or the outside world: promises alone are left to settle. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const many = (webhookId: string, count: number) =>
  Array.from({ length: count }, (_, n) => job(webhookId, n + 1));

const job = (webhookId: string, n: number): Job => ({
  deliveryId: `${webhookId}${n}`,
  day: '2030-01-01',
  messageId: `m${n}`,
  webhookId,
  webhookVersion: 1,
  userId: 'u',
  kind: 'draft.created',
  shard: 0,
  attempt: 1,
  body: Buffer.from('{}'),
});

const target = (webhookId: string, as: Partial<Target> = {}): Target => ({
  webhookId,
  userId: 'u',
  version: 1,
  url: 'https://receiver.example',
  status: 'active',
  secrets: [],
  ...as,
});
