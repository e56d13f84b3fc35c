import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';

/** How long a fetch waits for records; kafkajs notices a stop or a rebalance only after it. */
const MAX_WAIT_MS = 1_000;

/** While a partition is paused, which may be resumed at any moment: kafkajs notices that only after it, too. */
const MAX_WAIT_WHILE_PAUSED_MS = 200;

const fetchAll = ConsumerGroup.prototype.fetch;

/**
 * Makes the fetches of kafkajs 2.2.4 cheap where nothing comes. Each answer has a batch for every
 * partition, which goes through queue, worker and heartbeat also when the broker sent nothing for it:
 * such a batch is left out. Without any batch kafkajs sends the heartbeat that is due and fetches again.
 * Those whose records were all filtered away stay: they move the offset. And a fetch may wait for long,
 * unless a partition is to be resumed.
 */
export function quietFetches(): void {
  ConsumerGroup.prototype.fetch = async function fetchFilled(nodeId) {
    const hasPaused = this.subscriptionState.paused().length > 0;
    this.maxWaitTime = hasPaused ? MAX_WAIT_WHILE_PAUSED_MS : MAX_WAIT_MS;
    const batches = await fetchAll.call(this, nodeId);
    return batches.filter(({ rawMessages }) => rawMessages.length > 0);
  };
}
