import { describe, expect, it } from '@jest/globals';
import { dropBody, redriveBody } from './dead-letter-fields.js';
import { limit, moment, streamId } from './fields.js';

describe("an operator's request", () => {
  it.each(['ada@example.com', 'no stream', 'user', 'user-', '-x', '', `user-${'x'.repeat(200)}`])(
    'may not name the stream "%s": it would be kept for ever',
    (name) => expect(streamId.safeParse(name).success).toBe(false),
  );

  it('names no moment that Postgres does not store', () => {
    expect(moment.safeParse('-271821-04-20T00:00:00Z').success).toBe(false);
    expect(moment.parse('2026-03-01T12:30:00+01:00')).toEqual(new Date('2026-03-01T11:30:00Z'));
  });

  it('without a limit asks for the usual number', () => {
    expect(limit(1_000, 100).parse(undefined)).toBe(100);
  });
});

describe('a request about dead letters', () => {
  const id = '77615e42-8e6b-5ebc-8637-4408b92ef9f6';

  it.each([
    {},
    { ids: [] },
    { filter: {} },
    { ids: [id], filter: { topic: 'assistant.events.v1' } },
    { ids: Array.from({ length: 501 }, () => id) },
  ])('changes neither all of them nor none in particular: case %#', (some) => {
    expect(redriveBody.safeParse(some).success).toBe(false);
    expect(dropBody.safeParse({ ...some, note: 'why' }).success).toBe(false);
  });

  it('names them, or says which fit', () => {
    expect(redriveBody.parse({ ids: [id] })).toEqual({ ids: [id] });
    expect(dropBody.parse({ filter: { reason: 'ce_type_unknown' }, note: 'why' })).toEqual({
      wanted: { filter: { reason: 'ce_type_unknown' } },
      note: 'why',
    });
  });

  it.each(['', '  ', 'x'.repeat(501)])('drops nothing with "%s" for a note', (note) => {
    expect(dropBody.safeParse({ ids: [id], note }).success).toBe(false);
  });
});
