import { expect, it } from '@jest/globals';
import { deadLetterTopic, TOPICS } from './topics.js';

it('every topic has a dead-letter topic', () => {
  const names = TOPICS.map(({ name }) => name);
  const topics = names.filter((name) => !name.endsWith('.dlq'));
  expect(topics).toHaveLength(5);
  expect(names).toEqual(expect.arrayContaining(topics.map(deadLetterTopic)));
});

it('domain events alone are kept for ever', () => {
  const kept = TOPICS.filter(({ retentionMs }) => retentionMs === -1).map(({ name }) => name);
  expect(kept).toEqual(['auth.events.v1', 'integrations.events.v1', 'webhooks.events.v1']);
});
