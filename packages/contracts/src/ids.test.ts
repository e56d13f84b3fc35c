import { describe, expect, it } from '@jest/globals';
import { messageId, newId } from './ids.js';

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
  it('is the UUIDv5 of source, line feed and id in the URL namespace', () => {
    // Computed with Python: uuid.uuid5(uuid.NAMESPACE_URL, 'assistant/inbox\nevent-1')
    expect(messageId('assistant/inbox', 'event-1')).toBe(
      'msg_19bd05ac-cbe8-5281-b0ff-eeea4f5ea830',
    );
    expect(messageId('ä', '📬')).toBe('msg_376eaece-1cd9-594d-a53c-1a3009d2df66');
  });

  it('differs when the same characters are cut elsewhere', () => {
    expect(messageId('a', 'bc')).not.toBe(messageId('ab', 'c'));
  });
});
