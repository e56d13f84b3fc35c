import { describe, expect, it } from '@jest/globals';
import { deadLetterTopic, TOPICS, topicName } from './topics.js';

const DAY_MS = 86_400_000;
const named = (name: string) => TOPICS.find((topic) => topic.name === name);

describe('the topics', () => {
  it.each(['auth', 'integrations', 'webhooks'])(
    'keep the domain events of %s for ever, in order',
    (owner) => {
      expect(named(`${owner}.events.v1`)).toEqual({
        name: `${owner}.events.v1`,
        partitions: 12,
        retentionMs: -1,
        ordered: true,
      });
    },
  );

  it.each(['assistant.events.v1', 'user.events.v1'])('forget %s after three days', (name) => {
    expect(named(name)).toEqual({ name, partitions: 12, retentionMs: 3 * DAY_MS, ordered: false });
  });

  it('have a dead-letter topic each, forgotten after seven days', () => {
    const main = TOPICS.filter(({ name }) => !name.endsWith('.dlq'));
    expect(main).toHaveLength(5);
    for (const { name } of main) {
      expect(named(deadLetterTopic(name))).toEqual({
        name: `${name}.dlq`,
        partitions: 12,
        retentionMs: 7 * DAY_MS,
        ordered: false,
      });
    }
  });

  it('carry the prefix in front of their name', () => {
    expect(topicName('t1.', 'auth.events.v1')).toBe('t1.auth.events.v1');
  });
});
