import { describe, expect, it } from '@jest/globals';
import { messageId, newId } from './ids.js';

const USER = '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d';

describe('a new id', () => {
  it('is its prefix and a UUIDv7 in lower case', () => {
    expect(newId('wh')).toMatch(
      /^wh_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('begins with its time, so ids sort by it', () => {
    const earlier = newId('dlv', new Date('2026-01-01T00:00:00.000Z'));
    const later = newId('dlv', new Date('2026-01-01T00:00:00.001Z'));

    expect(earlier.slice(0, 17)).toBe('dlv_019b76da-a800');
    expect(later > earlier).toBe(true);
  });

  it('is never the same twice, even within a millisecond', () => {
    const now = new Date(0);
    expect(new Set(Array.from({ length: 1_000 }, () => newId('att', now))).size).toBe(1_000);
  });
});

describe('the id of a message', () => {
  it('is the UUIDv5 of source, id and user, a line feed between them, in the URL namespace', () => {
    // Computed with Python: uuid.uuid5(uuid.NAMESPACE_URL, f'assistant/inbox\nevent-1\n{user}')
    expect(messageId('assistant/inbox', 'event-1', USER)).toBe(
      'msg_b8ad4ecb-43d9-52f1-80ec-b17d66ec6b88',
    );
    expect(messageId('ä', '📬', USER)).toBe('msg_820aceea-128c-5e84-87d7-466c9d31a1b0');
  });

  it('is another for another user', () => {
    expect(messageId('a', 'b', USER)).not.toBe(messageId('a', 'b', USER.replace('0', '1')));
  });

  it('differs when the same characters are cut elsewhere', () => {
    expect(messageId('a', 'bc', USER)).not.toBe(messageId('ab', 'c', USER));
  });
});
