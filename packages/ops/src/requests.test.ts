import { describe, expect, it } from '@jest/globals';
import {
  deadLettersRequest,
  dropRequest,
  eventRequest,
  redriveRequest,
  streamEventsRequest,
} from './requests.js';

describe("an operator's request", () => {
  it.each(['ada@example.com', 'no stream', 'user', 'user-', '-x', '', `user-${'x'.repeat(200)}`])(
    'may not name the stream "%s": it would be kept for ever',
    (streamId) => {
      const request = { streamId, afterVersion: 0, limit: 0 };
      expect(streamEventsRequest.safeParse(request).success).toBe(false);
    },
  );

  it('without a limit asks for a hundred', () => {
    const request = { streamId: 'user-1', afterVersion: 0, limit: 0 };
    expect(streamEventsRequest.parse(request)).toEqual({ ...request, limit: 100 });
  });

  it.each([
    { eventId: '', streamId: 'user-1', version: 3 },
    { eventId: '77615e42-8e6b-5ebc-8637-4408b92ef9f6', streamId: '', version: 0 },
    { eventId: '77615e42-8e6b-5ebc-8637-4408b92ef9f6', streamId: 'user-1', version: 0 },
  ])('names an event by its place or by its id: %j', (request) => {
    expect(eventRequest.safeParse(request).success).toBe(true);
  });

  it.each([
    { eventId: '', streamId: 'user-1', version: 0 },
    { eventId: '', streamId: '', version: 3 },
    { eventId: 'three', streamId: '', version: 0 },
  ])('that names no event is refused: %j', (request) => {
    expect(eventRequest.safeParse(request).success).toBe(false);
  });
});

describe('a request about dead letters', () => {
  const id = '77615e42-8e6b-5ebc-8637-4408b92ef9f6';
  const empty = { consumer: '', topic: '', reason: '', userId: '' };

  it('lists the open ones unless it says otherwise', () => {
    const request = { filter: undefined, state: '', limit: 0, after: '' };
    expect(deadLettersRequest.parse(request)).toEqual({ filter: {}, state: 'open', limit: 100 });
  });

  it.each([
    { ids: [], filter: undefined },
    { ids: [], filter: empty },
    { ids: [id], filter: { ...empty, topic: 'assistant.events.v1' } },
    { ids: Array.from({ length: 501 }, () => id), filter: undefined },
  ])('changes neither all of them nor none in particular: case %#', (some) => {
    expect(redriveRequest.safeParse(some).success).toBe(false);
    expect(dropRequest.safeParse({ ...some, note: 'why' }).success).toBe(false);
  });

  it('names them, or says which fit', () => {
    expect(redriveRequest.parse({ ids: [id], filter: undefined })).toEqual({ ids: [id] });
    const filter = { ...empty, reason: 'ce_type_unknown' };
    expect(dropRequest.parse({ ids: [], filter, note: 'why' })).toEqual({
      wanted: { filter: { reason: 'ce_type_unknown' } },
      note: 'why',
    });
  });

  it.each(['', '  ', 'x'.repeat(501)])('drops nothing with "%s" for a note', (note) => {
    expect(dropRequest.safeParse({ ids: [id], filter: undefined, note }).success).toBe(false);
  });
});
