import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { cameAt, deliveryIdOf } from './delivery-id.js';

describe('the id of a delivery', () => {
  const at = new Date('2030-01-01T12:00:00.123Z');
  const event = { messageId: `msg_${randomUUID()}`, at, sequence: 5 };

  it('is a UUIDv7 of that time, in the order of what came in one millisecond', () => {
    const ids = [0, 1, 9, 4_095].map((sequence) =>
      deliveryIdOf({ ...event, messageId: `msg_${randomUUID()}`, sequence }, newId('wh')),
    );
    for (const id of ids) {
      expect(id).toMatch(/^dlv_[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      expect(id.startsWith(newId('dlv', at).slice(0, 17))).toBe(true);
    }
    expect(ids.toSorted()).toEqual(ids);
  });

  it('follows from the event and the webhook, and is of no other pair', () => {
    const [one, other] = [newId('wh'), newId('wh')];
    const another = { ...event, messageId: `msg_${randomUUID()}` };
    expect(deliveryIdOf(event, one)).toBe(deliveryIdOf({ ...event }, one));
    const ids = [
      deliveryIdOf(event, one),
      deliveryIdOf(event, other),
      deliveryIdOf(another, one),
      deliveryIdOf(another, other),
    ];
    expect(new Set(ids).size).toBe(4);
  });
});

describe('when an event came', () => {
  const now = new Date('2030-01-02T00:30:00Z');

  it.each([
    ['a moment ago', '2030-01-02T00:29:59Z', '2030-01-02T00:29:59Z'],
    ['yesterday', '2030-01-01T23:59:59Z', now],
    ['in the time of a clock that is ahead', '2030-01-02T00:30:01Z', now],
    ['without a time', '1970-01-01T00:00:00Z', now],
  ])('%s', (_, loggedAt, came) => {
    expect(cameAt(new Date(loggedAt), now)).toEqual(new Date(came));
  });

  it('is now, when it waited for more than an hour', () => {
    const noon = new Date('2030-01-02T12:00:00Z');
    expect(cameAt(new Date('2030-01-02T10:59:59Z'), noon)).toEqual(noon);
  });
});
