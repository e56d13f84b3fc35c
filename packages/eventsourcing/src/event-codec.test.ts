import { describe, expect, it } from '@jest/globals';
import type { Event } from './decider.js';
import { jsonCodec } from './event-codec.js';

type Renamed = Event<'renamed', { first: string; last: string }>;

const codec = jsonCodec<Renamed>({
  renamed: [
    (data) => ({ first: text(data, 'name'), last: '' }),
    (data) => ({ first: text(data, 'first'), last: text(data, 'last') }),
  ],
});

describe('stored JSON', () => {
  it('is written in the newest schema version', async () => {
    const event: Renamed = { type: 'renamed', data: { first: 'Ada', last: 'Byron' } };
    expect(await codec.encode('user-1', event)).toEqual({ schemaVersion: 2, data: event.data });
  });

  it('is read in whichever version it was written', async () => {
    const old = { type: 'renamed', schemaVersion: 1, data: { name: 'Ada' } };
    const young = { type: 'renamed', schemaVersion: 2, data: { first: 'Ada', last: 'Byron' } };
    expect(await codec.decode('user-1', old)).toMatchObject({ data: { first: 'Ada', last: '' } });
    expect(await codec.decode('user-1', young)).toMatchObject({ data: { last: 'Byron' } });
  });

  it.each([
    ['an unknown type', { type: 'toString', schemaVersion: 1, data: {} }, /no decoder/],
    ['a version from the future', { type: 'renamed', schemaVersion: 3, data: {} }, /version 3/],
    ['data that does not fit', { type: 'renamed', schemaVersion: 2, data: {} }, /user-1/],
  ])('is refused with its place when it is %s', async (_, stored, message) => {
    await expect(codec.decode('user-1', stored)).rejects.toThrow(message);
  });
});

function text(data: unknown, field: string): string {
  const value = (data as Record<string, unknown>)[field];
  if (typeof value !== 'string') throw new TypeError(`${field} is no text`);
  return value;
}
