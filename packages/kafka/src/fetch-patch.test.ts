import { afterAll, beforeAll, expect, it } from '@jest/globals';
import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';
import SubscriptionState from 'kafkajs/src/consumer/subscriptionState.js';

const shipped = ConsumerGroup.prototype.fetch;
const waitedMs: (number | undefined)[] = [];

beforeAll(async () => {
  ConsumerGroup.prototype.fetch = async function noteWait() {
    waitedMs.push(this.maxWaitTime);
    return [{ rawMessages: [] }, { rawMessages: ['a'] }];
  };
  const { quietFetches } = await import('./fetch-patch.js');
  quietFetches();
});

afterAll(() => {
  ConsumerGroup.prototype.fetch = shipped;
});

it('waits long for a fetch, but briefly while a partition may be resumed, and hands on filled batches only', async () => {
  const subscriptionState = new SubscriptionState();
  const group: ConsumerGroup = Object.assign(Object.create(ConsumerGroup.prototype), {
    subscriptionState,
  });
  subscriptionState.assign([{ topic: 't', partitions: [0, 1] }]);

  await group.fetch('1');
  subscriptionState.pause([{ topic: 't', partitions: [1] }]);
  await group.fetch('1');
  subscriptionState.resume([{ topic: 't', partitions: [1] }]);

  expect(await group.fetch('1')).toEqual([{ rawMessages: ['a'] }]);
  expect(waitedMs).toEqual([1_000, 200, 1_000]);
});
