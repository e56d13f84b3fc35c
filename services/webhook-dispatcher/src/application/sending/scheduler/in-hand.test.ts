import { describe, expect, it } from '@jest/globals';
import { job, many } from '../../../../test/scheduled.js';
import {
  add,
  endRead,
  finish,
  hasRoomFor,
  isBusy,
  newInHand,
  removeUnsent,
  roomOf,
  start,
  startRead,
} from './in-hand.js';
import { BODY_BYTES_MAX, JOBS_MAX } from './limits.js';

const [first, second, third] = [job('a', 1), job('a', 2), job('a', 3)];
const queued = (one = first) => ({ job: one, decided: undefined });
const ahead = (one = first) => ({ job: one, decided: () => undefined });

describe('the room for deliveries', () => {
  it('ends with their number', () => {
    const hand = newInHand();
    for (const one of many('a', JOBS_MAX - 1)) add(hand, queued(one));
    expect([roomOf(hand), hasRoomFor(hand, first)]).toEqual([1, true]);
    add(hand, queued(job('b', 1)));
    expect([roomOf(hand), hasRoomFor(hand, first)]).toEqual([0, false]);
  });

  it('ends with the bytes of their bodies, and is back when one is finished or removed', () => {
    const hand = newInHand();
    const body = Buffer.alloc(BODY_BYTES_MAX / 2);
    const [one, other] = [job('b', 1, { body }), job('b', 2, { body })];
    add(hand, queued(one));
    expect([roomOf(hand), hasRoomFor(hand, other)]).toEqual([JOBS_MAX - 1, true]);
    add(hand, queued(other));
    expect([roomOf(hand), hasRoomFor(hand, first)]).toEqual([0, false]);
    finish(hand, one);
    finish(hand, one);
    expect([roomOf(hand), hasRoomFor(hand, one)]).toEqual([JOBS_MAX - 1, true]);
    removeUnsent(hand, queued(other));
    expect([roomOf(hand), hand.bytes]).toEqual([JOBS_MAX, 0]);
  });
});

describe('a shard', () => {
  it('is busy from the start of a delivery until it is finished, and with no other delivery', () => {
    const hand = newInHand();
    for (const one of [first, second]) add(hand, queued(one));
    finish(hand, second);
    expect(isBusy(hand, 0)).toBe(false);
    start(hand, queued());
    finish(hand, third);
    expect([isBusy(hand, 0), isBusy(hand, 1)]).toEqual([true, false]);
    finish(hand, first);
    expect(isBusy(hand, 0)).toBe(false);
  });

  it('is busy with a delivery that is sent ahead until it is finished, or removed unsent', () => {
    const hand = newInHand();
    add(hand, ahead());
    add(hand, ahead(second));
    start(hand, ahead());
    finish(hand, first);
    expect(isBusy(hand, 0)).toBe(true);
    expect(removeUnsent(hand, ahead(second))).toBe(true);
    expect(isBusy(hand, 0)).toBe(false);
  });
});

describe('a delivery that is removed unsent', () => {
  it('is awaited when it was sent ahead and is not stored', () => {
    const hand = newInHand();
    add(hand, queued());
    add(hand, ahead(second));
    add(hand, ahead(third));
    hand.ahead.delete(third.deliveryId);
    const removed = [queued(), ahead(second), ahead(third)].map((one) => removeUnsent(hand, one));
    expect(removed).toEqual([false, true, false]);
  });
});

describe('a read', () => {
  it('leaves out what is in hand, and what was finished since it began', () => {
    const hand = newInHand();
    for (const one of [first, second]) add(hand, queued(one));
    startRead(hand);
    finish(hand, first);
    expect(endRead(hand, [first, second, third])).toEqual([third]);
    finish(hand, second);
    startRead(hand);
    expect(endRead(hand, [first, second])).toEqual([first, second]);
    expect(endRead(hand, [first])).toEqual([first]);
  });
});
