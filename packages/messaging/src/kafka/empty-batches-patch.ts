import ConsumerGroup from 'kafkajs/src/consumer/consumerGroup.js';

const fetchAll = ConsumerGroup.prototype.fetch;

/**
 * Spares kafkajs 2.2.4 the way of what is not there: each answer to a fetch has a batch for every partition,
 * which goes through queue, worker and heartbeat also when the broker sent nothing for it. Without any
 * batch kafkajs sends the heartbeat that is due and fetches again. Those whose records were all filtered
 * away stay: they move the offset.
 */
export function skipEmptyBatches(): void {
  ConsumerGroup.prototype.fetch = async function fetchFilled(nodeId) {
    const batches = await fetchAll.call(this, nodeId);
    return batches.filter(({ rawMessages }) => rawMessages.length > 0);
  };
}
