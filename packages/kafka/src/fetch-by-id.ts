import type { Cluster } from 'kafkajs';
import type Broker from 'kafkajs/src/broker/index.js';
import type { Exchange, FetchRequest } from 'kafkajs/src/broker/index.js';
import type Encoder from 'kafkajs/src/protocol/encoder.js';
import { decodeById } from './decode-patch.js';
import { flexibleEncoder, topicIdBytes, writeStructures } from './flexible-versions.js';
import type { TopicPartition } from './kafka-port.js';

/** The first version that names topics by their ids: KIP-516, Kafka 3.1. */
const BY_ID = 13;
const CONSUMER = -1;
/** Value of fields that only replicas fill in. */
const NONE = -1;
const NO_FIELDS = 0;

/** Topic ids by partition, as a consumer was told where to read. */
export class TopicIds {
  readonly #ids = new Map<string, string | undefined>();

  get({ topic, partition }: TopicPartition): string | undefined {
    return this.#ids.get(`${topic}/${partition}`);
  }

  set({ topic, partition }: TopicPartition, id: string | undefined): void {
    this.#ids.set(`${topic}/${partition}`, id);
  }
}

const ofBrokers = new WeakMap<object, TopicIds>();

export const topicIdsOf = (broker: Broker): TopicIds | undefined => ofBrokers.get(broker);

/** Makes the fetches of the consumer that has this cluster for itself name these ids, which may still change. */
export function fetchByIds(cluster: Cluster, ids: TopicIds): void {
  const findBroker = cluster.findBroker.bind(cluster);
  cluster.findBroker = async (node) => {
    const broker = await findBroker(node);
    ofBrokers.set(broker, ids);
    return broker;
  };
}

/** Returns the exchange with ids for names. `names`: the name for each id that the response may hold. */
export const byId = (
  { request, response, ...exchange }: Exchange,
  asked: FetchRequest,
  names: ReadonlyMap<string, string>,
): Exchange => ({
  ...exchange,
  request: { ...request, apiVersion: BY_ID, encode: async () => encoded(asked) },
  response: { ...response, decode: async (payload) => decodeById(payload, names) },
});

/** Encodes https://kafka.apache.org/protocol#The_Messages_Fetch, version 13. */
function encoded(asked: FetchRequest): Encoder {
  const { isolationLevel, maxWaitTime, minBytes, maxBytes, rackId } = asked;
  const { topics, sessionId = 0, sessionEpoch = -1, forgottenTopics = [] } = asked;
  const encoder = flexibleEncoder()
    .writeInt32(CONSUMER)
    .writeInt32(maxWaitTime)
    .writeInt32(minBytes)
    .writeInt32(maxBytes)
    .writeInt8(isolationLevel)
    .writeInt32(sessionId)
    .writeInt32(sessionEpoch);
  const each = topics.flatMap(({ partitions }) => partitions);
  writeStructures(encoder, each, ({ topicId = '', partition, fetchOffset, maxBytes: max }) => {
    encoder.writeBuffer(topicIdBytes(topicId));
    writeStructures(encoder, [partition], () => {
      encoder.writeInt32(partition).writeInt32(NONE).writeInt64(fetchOffset);
      encoder.writeInt32(NONE).writeInt64(NONE).writeInt32(max);
    });
  });
  writeStructures(encoder, forgottenTopics, ({ topicId = '', partitions }) => {
    encoder.writeBuffer(topicIdBytes(topicId)).writeUVarInt(partitions.length + 1);
    for (const partition of partitions) encoder.writeInt32(partition);
  });
  return encoder.writeUVarIntString(rackId).writeUVarInt(NO_FIELDS);
}
