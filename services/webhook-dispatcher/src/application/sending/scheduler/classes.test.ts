import { describe, expect, it } from '@jest/globals';
import { ACCEPTED, job, many, Scheduled, TIMED_OUT } from '../../../../test/scheduled.js';
import type { Job } from '../../job.js';
import { answered } from './classes.js';
import { READ_MAX, RESPONSIVE_AT_ONCE, TICK_MS, UNRESPONSIVE_AT_ONCE } from './limits.js';
import { roomForOthers } from './queues.js';
import { newState } from './state.js';

const SECOND = 1_000;
const TIMEOUT_MS = 15 * SECOND;
/** Milliseconds in which endpoints answer, by the first letter of their names; those of `h` hang. */
const ANSWERED_MS: Readonly<Record<string, number>> = {
  q: 20,
  m: 200,
  s: 2 * SECOND,
};

describe('endpoints that never answer', () => {
  it('leave a slot soon to a new one that answers, beside 900 of them', () => {
    const simulated = new Simulated();
    simulated.has(named('h', 900).flatMap((id) => many(id, 4)));
    simulated.run(30 * SECOND);
    expect(simulated.underWay.size).toBe(UNRESPONSIVE_AT_ONCE.max);
    simulated.has([job('q', 1)]);
    expect(simulated.firstSent('q')).toBeUndefined();
    simulated.run(SECOND);
    expect(simulated.firstSent('q')).toBeDefined();
  });

  it('do not hold up a crowd of 10,000 new ones that they are a tenth of', () => {
    const simulated = new Simulated();
    const crowd = named('q', 9_000);
    const hung = named('h', 1_000);
    simulated.has(hung.flatMap((id, n) => [id, ...crowd.slice(n * 9, n * 9 + 9)]).map(first));
    simulated.run(20 * SECOND);
    expect(crowd.filter((id) => simulated.firstSent(id) === undefined)).toEqual([]);
  });

  it('do not starve those that answer late, however many they are', () => {
    const simulated = new Simulated();
    const late = named('s', 20);
    simulated.has(late.map(first));
    simulated.run(5 * SECOND);
    simulated.has(late.flatMap((id) => many(id, 17).slice(1)));
    simulated.has(named('h', 10_000).map(first));
    simulated.run(10 * SECOND);
    for (const id of late) expect(simulated.sentTo(id)).toBe(17);
  });

  it('are not treated like those that answer late, which get as many slots as there are', () => {
    const simulated = new Simulated();
    simulated.has(named('s', 2_000).flatMap((id) => many(id, 2)));
    simulated.run(30 * SECOND);
    expect(simulated.state.classes.unresponsive.limit).toBeGreaterThan(
      UNRESPONSIVE_AT_ONCE.max / 2,
    );
  });

  it('leave slots to those that were never tried, once they are known to fail', () => {
    const simulated = new Simulated();
    const failing = named('h', 2_000);
    for (const id of failing) simulated.becomes(id, { isFailing: true });
    simulated.has(failing.map(first));
    simulated.run(20 * SECOND);
    simulated.has([job('q', 1)]);
    simulated.run(SECOND);
    expect(simulated.firstSent('q')).toBeDefined();
  });

  it('begin a few at a time after the first, so that few time out together', () => {
    const simulated = new Simulated();
    simulated.has(named('h', 10_000).map(first));
    simulated.run(60 * SECOND);
    const { min } = UNRESPONSIVE_AT_ONCE;
    expect(simulated.startsIn(0, TICK_MS)).toBe(min);
    for (let at = TICK_MS; at < 60 * SECOND; at += SECOND / 10) {
      expect(simulated.startsIn(at, at + SECOND / 10)).toBeLessThan(min);
    }
  });

  it('leave responsive ones their slots, however many they are', () => {
    const simulated = new Simulated();
    simulated.has([job('q', 1)]);
    simulated.run(SECOND);
    simulated.has(named('h', 6_000).map(first));
    simulated.run(10 * SECOND);
    simulated.has(many('q', 100).slice(1));
    simulated.run(SECOND);
    expect(simulated.sentTo('q')).toBe(100);
  });

  it('get another slot in each tick, whatever else is due meanwhile', () => {
    const simulated = new Simulated();
    simulated.has(named('h', 100).map(first));
    simulated.do({ kind: 'ticked' });
    expect(simulated.underWay.size).toBe(UNRESPONSIVE_AT_ONCE.start);
    simulated.pass(TICK_MS);
    expect(simulated.underWay.size).toBe(UNRESPONSIVE_AT_ONCE.start + 1);
  });
});

describe('endpoints that take 200 ms for an answer', () => {
  it('get as many attempts at once as their answers need', () => {
    const simulated = new Simulated();
    const some = named('m', 100);
    simulated.has(some.map(first));
    simulated.run(SECOND);
    simulated.has(some.flatMap((id) => many(id, 61).slice(1)));
    simulated.run(4 * SECOND);
    expect(some.filter((id) => simulated.sentTo(id) < 61)).toEqual([]);
  });

  it('are tried many at once when they are new, since they answer', () => {
    const simulated = new Simulated();
    const crowd = named('m', 5_000);
    simulated.has(crowd.map(first));
    simulated.run(5 * SECOND);
    expect(crowd.filter((id) => simulated.firstSent(id) === undefined)).toEqual([]);
  });
});

describe('the limit of a class', () => {
  it.each([
    { limit: 1_000, isShort: false, needed: 1, becomes: 1_000 },
    { limit: 1_000, needed: 1, becomes: 1_002 },
    { limit: 1_000, needed: 1 / 3, becomes: 1_000 },
    { limit: 1_000, needed: 0.25, becomes: 999.75 },
    { limit: 2_999, needed: 1, becomes: 3_000 },
    { limit: 128.25, needed: 0, becomes: 128 },
    { limit: 100, needed: 0, becomes: 100 },
  ])('follows the part of an answer that its receiver needed, while webhooks wait: %j', (one) => {
    const { limit, isShort = true, needed, becomes } = one;
    const { responsive } = newState().classes;
    Object.assign(responsive, { limit, isShort });
    answered(responsive, needed, 0);
    expect(responsive.limit).toBe(becomes);
  });

  it('counts answers less the older they are', () => {
    const { responsive } = newState().classes;
    for (const atMs of [0, 125]) answered(responsive, 1, atMs);
    expect(responsive.answered).toBe(1.5);
  });

  it.each([
    [500, RESPONSIVE_AT_ONCE.steady],
    [2_000, 1_000],
    [9_000, RESPONSIVE_AT_ONCE.max],
  ])('leaves the unresponsive class its part of %d sockets: %d', (sockets, max) => {
    expect(newState(sockets).classes.responsive.limits.max).toBe(max);
  });
});

describe('an attempt that takes long', () => {
  it('holds a slot of the unresponsive class after half a second, until it ends', () => {
    const scheduled = new Scheduled();
    const { state } = scheduled;
    const slots = () => {
      const { responsive, unresponsive } = state.classes;
      return [responsive, unresponsive].map(({ taken, limit }) => [taken, limit]);
    };
    scheduled.accept(job('a', 1));
    scheduled.finishAll();
    scheduled.accept(job('a', 2), job('a', 3), job('b', 1));
    scheduled.pass(499);
    expect([state.slow, ...slots()]).toEqual([0, [2, 128], [1, 64]]);
    scheduled.pass(1);
    expect([state.slow, ...slots()]).toEqual([3, [0, 126], [3, 66]]);
    scheduled.accept(job('b', 2));
    expect([state.slow, ...slots()]).toEqual([4, [0, 126], [4, 66]]);
    scheduled.answerAll();
    expect([state.slow, ...slots()]).toEqual([0, [0, 126], [0, 66]]);
    expect(state.lookAtMs).toBeUndefined();
  });
});

const named = (letter: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${letter}${n}.`);

const first = (webhookId: string): Job => job(webhookId, 1);

/** Simulation of endpoints that answer or hang, of a table that holds what there is no room for, and of the time. */
class Simulated extends Scheduled {
  /** Jobs in the table, until they are sent. */
  #pending = new Map<string, Job>();
  readonly #starts: { readonly webhookId: string; readonly atMs: number }[] = [];
  override writes = true;
  #readTo = 0;
  readonly #ends = new Map<number, string[]>();

  has(jobs: readonly Job[]): void {
    for (const one of jobs) this.#pending.set(one.deliveryId, one);
    this.accept(...jobs);
    this.#noteStarts();
  }

  run(ms: number): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.pass(1);
      this.#noteStarts();
      for (const id of this.#ends.get(this.nowMs) ?? []) this.#end(id);
      if (this.nowMs % (SECOND / 10) === 0) this.#readDue();
      this.#noteStarts();
    }
  }

  firstSent(webhookId: string): number | undefined {
    return this.#starts.find((start) => start.webhookId === webhookId)?.atMs;
  }

  sentTo(webhookId: string): number {
    return this.#starts.filter((start) => start.webhookId === webhookId).length;
  }

  startsIn(fromMs: number, toMs: number): number {
    return this.#starts.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).length;
  }

  #noteStarts(): void {
    for (const deliveryId of this.sent.splice(0)) {
      const webhookId = this.underWay.get(deliveryId)?.queue.webhookId ?? '';
      const takesMs = ANSWERED_MS[webhookId.charAt(0)] ?? TIMEOUT_MS;
      this.#pending.delete(deliveryId);
      this.#starts.push({ webhookId, atMs: this.nowMs });
      const atMs = this.nowMs + takesMs;
      this.#ends.set(atMs, [...(this.#ends.get(atMs) ?? []), deliveryId]);
    }
  }

  #end(deliveryId: string): void {
    const webhookId = this.underWay.get(deliveryId)?.queue.webhookId ?? '';
    const totalMs = ANSWERED_MS[webhookId.charAt(0)];
    const how = totalMs === undefined ? TIMED_OUT : { ...ACCEPTED, totalMs };
    this.answer(deliveryId, how);
  }

  #readDue(): void {
    const due = [...this.#pending.values()].filter(
      ({ deliveryId }) => !this.state.inHand.ids.has(deliveryId),
    );
    // Reads in turns, from behind where the last read ended.
    const room = Math.min(READ_MAX, roomForOthers(this.state));
    const from = this.#readTo % Math.max(1, due.length);
    this.read(...due.slice(from, from + room));
    this.#readTo = from + room < due.length ? from + room : 0;
  }
}
