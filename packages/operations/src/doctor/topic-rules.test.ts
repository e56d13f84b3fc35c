import { expect, it } from '@jest/globals';
import type { DescribedTopic } from '@junction/messaging';
import { judgeTopics } from './topic-rules.js';

const SPEC = { name: 'auth.events.v1', partitions: 6, retentionMs: -1 };
const TOPIC: DescribedTopic = {
  name: 'auth.events.v1',
  partitions: 6,
  replicas: 3,
  inSync: 3,
  leaderless: 0,
  rights: ['Read', 'Write', 'DescribeConfigs'],
  settings: { 'retention.ms': '-1', 'cleanup.policy': 'delete', 'min.insync.replicas': '2' },
};
const settings = (changed: object) => ({ settings: { ...TOPIC.settings, ...changed } });

it('has nothing to say of a topic as the topics job makes it, nor of settings that were not seen', () => {
  expect(judgeTopics([[SPEC, TOPIC]])).toEqual([]);
  expect(judgeTopics([[SPEC, { ...TOPIC, inSync: 1, settings: undefined }]])).toEqual([]);
});

it.each<[Partial<DescribedTopic>, string, RegExp, RegExp]>([
  [{ partitions: 3 }, 'problem', /has 3 partitions, and must have 6/, /While it is empty/],
  [{ leaderless: 2 }, 'problem', /^2 partitions of .* have no leader/, /^Bring the brokers back/],
  [
    settings({ 'retention.ms': '5' }),
    'problem',
    /for 5 ms, and must for -1/,
    /retention\.ms=…, with the mill/,
  ],
  [settings({ 'cleanup.policy': 'compact' }), 'problem', /by compact/, /cleanup\.policy=delete$/],
  [{ inSync: 1 }, 'problem', /1 replicas in sync, and takes records with 2/, /^Bring the brokers/],
  [
    settings({ 'min.insync.replicas': '1' }),
    'warning',
    /acknowledges records that a single broker has/,
    /min\.insync\.replicas=2$/,
  ],
])('complains of %j', (changed, state, found, remedy) => {
  expect(judgeTopics([[SPEC, { ...TOPIC, ...changed }]])).toEqual([
    { state, found: expect.stringMatching(found), remedy: expect.stringMatching(remedy) },
  ]);
});

it('has two complaints for two faults, however many topics have them', () => {
  const faulty = { ...TOPIC, partitions: 3, ...settings({ 'retention.ms': '5' }) };
  const topics = ['a', 'b', 'c', 'd'].map((name) => [SPEC, { ...faulty, name }] as const);
  expect(judgeTopics(topics).map(({ found }) => found)).toEqual([
    expect.stringMatching(
      /^a has 3 .*; b has 3 .*; c has 3 .*; d has 3 partitions, and must have 6\.$/,
    ),
    expect.stringMatching(/^a keeps .*; d keeps records for 5 ms, and must for -1\.$/),
  ]);
});
