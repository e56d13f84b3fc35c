import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@junction/testing';
import type { Circuits, OnCircuitChange } from './circuits.js';
import { Dispatcher } from './dispatcher.js';
import type { AttemptRecord, Job, Result, Target } from './job.js';
import { judgeWith } from './judge.js';
import { LIMIT_MAX } from './pace.js';
import { QUEUE_JOBS_MAX } from './webhook-queues.js';

describe('the dispatcher', () => {
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
});

/** Without waiting for it. */
const isReady = (dispatcher: Dispatcher) =>
  Promise.race([
    dispatcher.ready().then(() => true),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ]);

describe('a shard that is not ours', () => {
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

describe('a webhook that changes while it is asked', () => {
  const changing = async () => {
    const all = dispatching({ hang: true, atOnce: 100 });
    all.dispatcher.accept(many('a', 10));
    await settled();
    const asked = [...all.sent];
    all.targets.set('a', target('a', { version: 2, url: 'https://elsewhere' }));
    all.dispatcher.webhookChanged('a');
    await settled();
    return { ...all, asked };
  };

  it('is sent to at once, however many requests wait for an answer of the older version', async () => {
    const { sent, asked, dropped } = await changing();
    expect(asked.length).toBeLessThan(10);
    expect(dropped).toEqual(['a']);
    expect(sent.length).toBe(2 * asked.length);
  });

  it('is not judged by what the older version answers', async () => {
    const { asked, open, results, world } = await changing();
    world.answer = GONE;
    asked.forEach(open);
    await settled();
    expect(results).toHaveLength(asked.length);
    for (const { version, isOutdated, fact } of results) {
      expect({ version, isOutdated }).toEqual({ version: 1, isOutdated: true });
      expect(fact).toMatchObject({ type: 'delivery.attempt_failed', data: { reason: 'http_410' } });
    }
  });

  it('is judged by what it answers itself', async () => {
    const { sent, asked, open, results, world } = await changing();
    world.answer = GONE;
    open(sent[asked.length] ?? '');
    await settled();
    expect(results).toMatchObject([
      { version: 2, isOutdated: false, fact: { data: { gone: true } } },
    ]);
  });
});

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
    answer: accepted,
    takesMs: accepted.totalMs,
    nowMs: 0,
  };
  const targets = new Map('ab'.split('').map((id) => [id, target(id)]));
  const sent: string[] = [];
  const results: Result[] = [];
  const dropped: string[] = [];
  const waiting = new Map<string, () => void>();
  let circuit: OnCircuitChange = () => {};
  let wakes = 0;

  const circuits = (onChange: OnCircuitChange): Circuits => {
    circuit = onChange;
    return {
      run: async (_, attempt, _isCurrent) => attempt(),
      permits: (_, underWay) => world.permits && underWay < atOnce,
      isOpen: () => world.isOpen,
      restore() {},
      drop: (id) => void dropped.push(id),
      stop() {},
    };
  };

  const dispatcher = new Dispatcher({
    epochOf: () => world.epoch,
    async send({ deliveryId }) {
      sent.push(deliveryId);
      if (hang) await new Promise<void>((resolve) => waiting.set(deliveryId, resolve));
      return { ...world.answer, totalMs: world.takesMs };
    },
    judge: judgeWith(
      { delaysMs: [1_000] },
      () => new Date(0),
      () => 0,
    ),
    push: (result) => void results.push(result),
    hasRoom: () => world.hasRoom,
    circuits,
    onCircuitChange() {},
    loadTargets: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const found = targets.get(id) ?? (/^w\d/.test(id) ? target(id) : undefined);
          return found ? [[id, found] as const] : [];
        }),
      ),
    settle() {},
    admits() {
      world.asked++;
      return world.admits;
    },
    notifyOthers: () => void world.calls++,
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
  const say: OnCircuitChange = (...change) => circuit(...change);
  return {
    dispatcher,
    world,
    targets,
    sent,
    results,
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

const GONE: AttemptRecord = {
  ...accepted,
  outcome: { kind: 'gone' },
  result: 'http_410',
  httpStatus: 410,
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
  unscheduled: 0,
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
