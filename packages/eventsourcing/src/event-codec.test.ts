import { describe, expect, it } from '@jest/globals';
import { AppendRefusedError } from './append-refused-error.js';
import type { Event } from './decider.js';
import { jsonCodec, schema } from './event-codec.js';
import { UnreadableEventError } from './unreadable-event-error.js';

type Renamed = Event<'renamed', { first: string; last: string; at: number }>;

const codec = jsonCodec<Renamed>({
  renamed: schema((data) => ({ name: text(data, 'name') }))
    .next(
      (data) => ({ first: text(data, 'first'), last: text(data, 'last') }),
      ({ name }) => ({ first: name, last: '' }),
    )
    .next(
      (data) => ({ first: text(data, 'first'), last: text(data, 'last'), at: number(data, 'at') }),
      (before) => ({ ...before, at: 0 }),
    ),
});

describe('stored JSON', () => {
  it('is written in the newest schema version', async () => {
    const event: Renamed = { type: 'renamed', data: { first: 'Ada', last: 'Byron', at: 7 } };
    expect(await codec.encode('user-1', event)).toEqual({ schemaVersion: 3, data: event.data });
    expect(codec.versions).toEqual({ renamed: 3 });
  });

  it.each([
    [1, { name: 'Ada' }, { first: 'Ada', last: '', at: 0 }],
    [2, { first: 'Ada', last: 'Byron' }, { first: 'Ada', last: 'Byron', at: 0 }],
    [3, { first: 'Ada', last: 'Byron', at: 7 }, { first: 'Ada', last: 'Byron', at: 7 }],
  ])('is read, in version %d, through the chain to today', async (schemaVersion, stored, today) => {
    const read = codec.decode('user-1', { type: 'renamed', schemaVersion, data: stored });
    expect(await read).toEqual({ type: 'renamed', data: today });
  });

  it.each([
    ['of an unknown type', { type: 'toString', schemaVersion: 1, data: {} }, 'type_unknown'],
    ['from the future', { type: 'renamed', schemaVersion: 4, data: {} }, 'version_unknown'],
    ['of version 0', { type: 'renamed', schemaVersion: 0, data: {} }, 'version_unknown'],
    ['of another shape', { type: 'renamed', schemaVersion: 2, data: {} }, 'data_unfit'],
  ])('is not read when it is %s, and the error says where it lies', async (_, stored, reason) => {
    const reading = codec.decode('user-1', stored);
    await expect(reading).rejects.toThrow(UnreadableEventError);
    await expect(reading).rejects.toMatchObject({
      reason,
      message: expect.stringContaining('user-1'),
    });
  });

  it.each([
    ['nobody registered', { type: 'toString', data: {} }, 'event_type_unknown'],
    ['does not fit', { type: 'renamed', data: { first: 'Ada' } }, 'event_data_invalid'],
  ])('is not written when it %s', async (_, event, reason) => {
    const writing = codec.encode('user-1', event as Renamed);
    await expect(writing).rejects.toThrow(AppendRefusedError);
    await expect(writing).rejects.toMatchObject({ reason });
  });
});

function text(data: unknown, field: string): string {
  const value = (data as Record<string, unknown>)[field];
  if (typeof value !== 'string') throw new TypeError(`${field} is no text`);
  return value;
}

function number(data: unknown, field: string): number {
  const value = (data as Record<string, unknown>)[field];
  if (typeof value !== 'number') throw new TypeError(`${field} is no number`);
  return value;
}
