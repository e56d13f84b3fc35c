import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';

/** Milliseconds that a fetch waits for records; kafkajs notices a stop or a rebalance only afterwards. */
const MAX_WAIT_MS = 1_000;

/**
 * Milliseconds that a fetch waits while a partition is paused: kafkajs notices only after the fetch that it was
 * resumed.
 */
const MAX_WAIT_WHILE_PAUSED_MS = 200;

const fetchAll = ConsumerGroup.prototype.fetch;

/**
 * Makes the fetches of kafkajs 2.2.4 cheap when no records come. Each response has a batch for every partition, which
 * goes through queue, worker and heartbeat even when the broker sent nothing for it: such a batch is left out. Without
 * any batch kafkajs sends the heartbeat that is due and fetches again. Batches whose records were all filtered away
 * stay, because they move the offset. A fetch may wait for long, unless a partition is to be resumed.
 */
export function quietFetches(): void {
  ConsumerGroup.prototype.fetch = async function fetchFilled(nodeId) {
    const hasPaused = this.subscriptionState.paused().length > 0;
    this.maxWaitTime = hasPaused ? MAX_WAIT_WHILE_PAUSED_MS : MAX_WAIT_MS;
    const batches = await fetchAll.call(this, nodeId);
    return batches.filter(({ rawMessages }) => rawMessages.length > 0);
  };
}
