import { describe, expect, it } from '@jest/globals';
import { replayWords } from './replay-words.js';

const replay = {
  status: 'running',
  reason: null,
  count: 1_200,
  count_is_exact: true,
  sent: 100,
  skipped: 0,
  deliveries_per_s: 0,
  time_left_s: null,
  waits_until: null,
} as const;

describe('a replay in words', () => {
  it('says how far it has come', () => {
    expect(replayWords(replay)).toMatch(/^100 of 1,200 sent again so far\./);
    expect(replayWords({ ...replay, count_is_exact: false })).toMatch(/^100 of at least 1,200 /);
  });

  it.each([
    [640.4, null, ', 640 a second.'],
    [2.5, 1, ', 2.5 a second, done in a moment.'],
    [640, 720, ', 640 a second, done in 12 minutes.'],
    [100, 9_000, ', 100 a second, done in 2 hours.'],
  ])('says how fast it goes and when it is done: %d a second, %p s', (perS, leftS, words) => {
    const told = { ...replay, deliveries_per_s: perS, time_left_s: leftS };
    expect(replayWords(told)).toContain(`100 of 1,200 sent again so far${words}`);
  });

  it('says when it goes on, while it waits', () => {
    const waits = { ...replay, waits_until: '2030-01-01T12:00:40Z' };
    expect(replayWords(waits, new Date('2030-01-01T12:00:00Z'))).toContain(
      '100 of 1,200 sent again so far, more in 40 seconds: as much was sent as may be sent at a time.',
    );
  });

  it('says what came of it, and what was left out', () => {
    const done = { ...replay, status: 'completed', sent: 1_199 } as const;
    expect(replayWords(done)).toBe('Done: 1,199 were sent again.');
    expect(replayWords({ ...done, skipped: 1 })).toMatch(/1 was left out, because the content/);
    expect(replayWords({ ...done, sent: 1 })).toBe('Done: one event was sent again.');
  });

  it('says why it ended before its end', () => {
    const ended = { ...replay, status: 'cancelled', reason: 'user' } as const;
    expect(replayWords(ended)).toBe('You cancelled it. Before that 100 were sent again.');
    expect(replayWords({ ...ended, reason: 'webhook_disabled', sent: 0 })).toBe(
      'It ended because the webhook was disabled. Before that nothing was sent again.',
    );
  });
});
