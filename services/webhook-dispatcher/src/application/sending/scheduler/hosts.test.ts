import { describe, expect, it } from '@jest/globals';
import { job, many, Scheduled, TIMED_OUT, target } from '../../../../test/scheduled.js';
import type { AttemptRecord, Job, Target } from '../../job.js';
import {
  HOST_CREDIT,
  HOST_CREDIT_BYTES,
  HOST_CREDIT_MAX,
  HOST_CREDIT_PER_2XX,
  HOST_CREDIT_PER_S,
} from './limits.js';
import { blocked, isReady, overflowed } from './reading.js';

const SECOND = 1_000;
const UNKNOWN: Partial<AttemptRecord> = {
  outcome: { kind: 'failed', reason: 'http_404', retryAfterMs: 0 },
  result: 'http_404',
  httpStatus: 404,
};

describe('a host that answers nobody 2xx', () => {
  it('gets little, however many webhooks of however many users lead there', () => {
    const one = new OfOneHost();
    one.accept(...named(2_000).map(first));
    expect(one.sent).toHaveLength(HOST_CREDIT);
    for (let s = 1; s <= 5; s++) one.passWithReads(SECOND);
    expect(one.sent).toHaveLength(HOST_CREDIT + 5 * HOST_CREDIT_PER_S);
  });

  it('gets no more once it says that it knows nothing of these', () => {
    const one = new OfOneHost();
    one.accept(...named(50).flatMap((id) => many(id, 10)));
    while (one.underWay.size > 0) for (const [id] of one.underWay) one.answer(id, UNKNOWN);
    expect(one.sent).toHaveLength(HOST_CREDIT);
  });

  it('gets large bodies by their size', () => {
    const one = new OfOneHost();
    const body = Buffer.alloc(11 * HOST_CREDIT_BYTES);
    one.accept(...named(100).map((id) => job(id, 1, { body })));
    // A request may cost more than is left.
    expect(one.sent).toHaveLength(Math.ceil(HOST_CREDIT / 11));
    one.answer('w01');
    one.readHeld();
    expect(one.sent).toHaveLength(Math.ceil(HOST_CREDIT / 11) + HOST_CREDIT_PER_2XX);
  });

  it('takes no room from others meanwhile, and holds nobody up', () => {
    const one = new OfOneHost();
    one.accept(...named(3_000).map(first));
    const { inHand } = one.state;
    expect(inHand.ids.size).toBe(HOST_CREDIT);
    expect(isReady(one.state)).toBe(true);
    expect(blocked(one.state)).toHaveLength(3_000 - HOST_CREDIT);
    one.targets.set('elsewhere', target('elsewhere'));
    one.accept(job('elsewhere', 1));
    expect(one.sent.at(-1)).toBe('elsewhere1');
  });

  it('lets a webhook go on in its turn whose url leads elsewhere now', () => {
    const one = new OfOneHost();
    one.accept(...named(HOST_CREDIT + 1).map(first));
    one.becomes('w100', { version: 2, url: 'https://else.example' });
    expect(overflowed(one.state, MOMENT)).toEqual(['w100']);
    one.read(job('w100', 1));
    expect(one.sent.at(-1)).toBe('w1001');
  });

  it('is asked about an ordered webhook when that may go', () => {
    const one = new OfOneHost();
    one.accept(...named(HOST_CREDIT).map(first));
    one.targets.set('o', one.target('o', { ordered: true }));
    one.accept(job('o', 1));
    const ordered = () =>
      one.do({
        kind: 'orderedRead',
        webhookIds: ['o'],
        startedMs: one.nowMs,
        work: new Map([['o', { waitMs: 0, jobs: [job('o', 1)] }]]),
      });
    ordered();
    ordered();
    expect(one.sent).not.toContain('o1');
    one.pass(SECOND / HOST_CREDIT_PER_S);
    ordered();
    expect(one.sent).toContain('o1');
  });
});

describe('a 2xx of a host', () => {
  it('lets three more go to it, in their turn', () => {
    const one = new OfOneHost();
    const ids = named(500);
    one.accept(...ids.map(first));
    one.answer('w01');
    one.readHeld();
    expect(one.sent.slice(HOST_CREDIT)).toEqual(['w1001', 'w1011', 'w1021']);
    one.answer('w11', TIMED_OUT);
    one.readHeld();
    expect(one.sent).toHaveLength(HOST_CREDIT + HOST_CREDIT_PER_2XX);
    for (const [id] of one.underWay) one.answer(id);
    one.readHeld();
    expect(one.sent.length).toBeGreaterThan(3 * HOST_CREDIT);
    expect(one.sent.length).toBeLessThanOrEqual(HOST_CREDIT_MAX);
  });

  it('lets its own webhook go at once, whatever the others get', () => {
    const one = new OfOneHost();
    one.accept(...many('good', 1));
    one.answer('good1');
    one.accept(...named(2_000).map(first));
    for (const [id] of one.underWay) one.answer(id, UNKNOWN);
    one.readHeld();
    const before = one.sent.length;
    one.accept(...many('good', 11).slice(1));
    one.finishAll();
    expect(one.sent.slice(before).filter((id) => id.startsWith('good'))).toHaveLength(10);
  });

  it('frees its own webhook that waits', () => {
    const one = new OfOneHost();
    one.accept(job('good', 1));
    one.accept(...named(HOST_CREDIT - 1).map(first));
    one.accept(job('good', 2));
    expect(blocked(one.state)).toContain('good');
    one.answer('good1');
    expect(blocked(one.state)).not.toContain('good');
  });

  it('counts for the url that gave it, and not for the one that took its place', () => {
    const one = new OfOneHost();
    one.targets.set('mine', target('mine'));
    one.accept(...many('mine', 4));
    one.targets.set('mine', one.target('mine', { version: 2 }));
    one.do({ kind: 'webhookChanged', webhookId: 'mine' });
    for (const [id] of one.underWay) one.answer(id);
    one.accept(...named(2_000).map(first));
    expect(one.sent).toHaveLength(4 + HOST_CREDIT);
  });

  it('is of no use once its webhook fails', () => {
    const one = new OfOneHost();
    one.accept(job('once', 1));
    one.answer('once1');
    one.accept(...named(HOST_CREDIT + HOST_CREDIT_PER_2XX - 1).map(first));
    one.accept(job('once', 2));
    one.answer('once2', UNKNOWN);
    one.accept(job('once', 3));
    expect(one.sent).not.toContain('once3');
  });
});

const MOMENT = { nowMs: 0, epochOf: () => '1' };

const named = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `w${n}`);

const first = (webhookId: string): Job => job(webhookId, 1);

/** All webhooks lead to one host, unless a target is set; and the table brings what waits. */
class OfOneHost extends Scheduled {
  #accepted = new Map<string, Job>();
  override writes = true;

  constructor() {
    super();
    // Otherwise the class is full first, which goes on by itself.
    this.state.classes.unresponsive.limit = HOST_CREDIT_MAX;
  }

  override accept(...jobs: readonly Job[]) {
    for (const one of jobs) {
      this.#accepted.set(one.deliveryId, one);
      if (!this.targets.has(one.webhookId)) {
        this.targets.set(one.webhookId, this.target(one.webhookId));
      }
    }
    return super.accept(...jobs);
  }

  target(webhookId: string, as: Partial<Target> = {}): Target {
    return target(webhookId, { url: `https://victim.example:8443/${webhookId}`, ...as });
  }

  /** The reader brings what was left to the table, of the webhooks that may go on. */
  readHeld(): void {
    const ids = new Set(overflowed(this.state, MOMENT));
    const due = [...this.#accepted.values()].filter(
      ({ webhookId, deliveryId }) => ids.has(webhookId) && !this.sent.includes(deliveryId),
    );
    if (due.length > 0) this.read(...due);
  }

  passWithReads(ms: number): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.pass(SECOND / HOST_CREDIT_PER_S);
      this.readHeld();
    }
  }
}
