import { expect, it } from '@jest/globals';
import { TOPICS } from '@junction/messaging';
import { kafkaUsers } from './kafka-users.js';

const [job, mail] = kafkaUsers([
  {
    name: 'mail',
    topics: {
      consumed: { auth: ['auth.events.v1'], bounces: ['bounces.v1', 'auth.events.v1'] },
      produced: ['mail.v1'],
    },
  },
]);

it('lets a service read what it consumes, in its groups, and write what it produces and cannot handle', () => {
  expect(mail).toEqual({
    name: 'mail-kafka',
    rights: [
      {
        type: 'topic',
        names: ['auth.events.v1', 'bounces.v1'],
        operations: ['Read', 'DescribeConfigs'],
      },
      { type: 'group', names: ['mail.auth', 'mail.bounces'], operations: ['Read'] },
      {
        type: 'topic',
        names: ['mail.v1', 'auth.events.v1.dlq', 'bounces.v1.dlq'],
        operations: ['Write', 'DescribeConfigs'],
      },
    ],
  });
});

it('lets the topics job make every topic, and read none', () => {
  const names = TOPICS.map(({ name }) => name);
  expect(job).toEqual({
    name: 'topics-kafka',
    rights: [{ type: 'topic', names, operations: ['Create', 'Describe'] }],
  });
});
