import { describe, expect, it } from '@jest/globals';
import { loudness } from './log-filter.js';

const entry = (message: string, namespace = 'ConsumerGroup', error?: string) => ({
  namespace,
  level: 1,
  log: error === undefined ? { message } : { message, error },
});

describe('a log entry of kafkajs', () => {
  it.each([
    'The group coordinator is not available',
    "The coordinator is loading and hence can't process requests for this group",
    'The group is rebalancing, so a rejoin is needed',
  ])('is kept quiet when it is the ordinary life of a group: %s', (words) => {
    expect(loudness(entry('Response FindCoordinator(key: 10, version: 2)', 'Runner', words))).toBe(
      'debug',
    );
    expect(loudness(entry(words))).toBe('debug');
  });

  it('is kept quiet when the same failure comes back to us as a rejection', () => {
    expect(loudness(entry('Connection error: connect ECONNREFUSED', 'Connection'))).toBe('debug');
    expect(loudness(entry('Crash: KafkaJSNonRetriableError: …', 'Consumer'))).toBe('debug');
    expect(loudness(entry('Response without match', 'RequestQueue'))).toBe('debug');
  });

  it('is passed on when nothing else reports it', () => {
    expect(loudness(entry('Offset out of range, resetting to default offset'))).toBe('warn');
  });
});
