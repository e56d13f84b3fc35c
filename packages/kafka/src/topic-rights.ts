import type { Admin, ITopicMetadata } from 'kafkajs';
import Broker, { type MetadataTopic } from 'kafkajs/src/broker/index.js';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import type { TopicOperation } from './kafka-port.js';

/** Request by its number and its version, the first that tells rights: KIP-430, Kafka 2.3. */
const METADATA = { apiKey: 3, apiVersion: 8, apiName: 'Metadata' } as const;
/** Error codes of https://kafka.apache.org/protocol#protocol_error_codes. */
const UNKNOWN_TOPIC = 3;
const NOT_AUTHORIZED = 29;
/** Places of the operations in the bits of an answer, which are their numbers in an ACL. */
const PLACES: Readonly<Record<TopicOperation, number>> = { Read: 3, Write: 4, DescribeConfigs: 10 };

export interface TopicWithRights extends ITopicMetadata {
  /** Operations that this user may carry out. */
  readonly rights: readonly TopicOperation[];
}

export interface Seen {
  readonly topics: readonly TopicWithRights[];
  /** Topics that this user may not describe: nobody tells whether they exist. */
  readonly hidden: readonly string[];
}

/** Answers by the names that were asked for: kafkajs hands on nothing but partitions. */
const answers = new WeakMap<readonly string[], readonly MetadataTopic[]>();
let isPatched = false;

/** Returns topics with what this user may do with each. Those that do not exist are left out. */
export async function seenTopics(admin: Admin, names: readonly string[]): Promise<Seen> {
  askForRights();
  const asked = [...names];
  answers.set(asked, []);
  const { topics } = await admin.fetchTopicMetadata({ topics: asked });
  const told = new Map(answers.get(asked)?.map((topic) => [topic.topic, topic]));
  const codeOf = (name: string) => told.get(name)?.topicErrorCode;
  return {
    topics: topics
      .filter(({ name }) => codeOf(name) !== UNKNOWN_TOPIC && codeOf(name) !== NOT_AUTHORIZED)
      .map((topic) => ({ ...topic, rights: rightsIn(told.get(topic.name)?.operations ?? 0) })),
    hidden: names.filter((name) => codeOf(name) === NOT_AUTHORIZED),
  };
}

const rightsIn = (bits: number): readonly TopicOperation[] =>
  (Object.keys(PLACES) as TopicOperation[]).filter((one) => (bits >> PLACES[one]) & 1);

/** Makes kafkajs 2.2.4, which knows Metadata up to version 6, ask for the rights on the topics of `answers`. */
function askForRights(): void {
  if (isPatched) return;
  isPatched = true;
  const { metadata } = Broker.prototype;
  Broker.prototype.metadata = async function withRights(topics) {
    if (!answers.has(topics)) return metadata.call(this, topics);
    if ((this.versions[METADATA.apiKey]?.maxVersion ?? 0) < METADATA.apiVersion) {
      throw new Error('Topics can be looked at from Kafka 2.3 on: these brokers are older.');
    }
    const lookupRequest: Broker['lookupRequest'] = () => () => ({
      request: { ...METADATA, encode: async () => request(topics) },
      response: {
        decode: async (bytes: Buffer) => response(bytes),
        parse: async (one: object) => one,
      },
    });
    const asking: Broker = Object.create(this, { lookupRequest: { value: lookupRequest } });
    const answer = await metadata.call(asking, topics);
    answers.set(topics, answer.topicMetadata);
    return answer;
  };
}

/** Creates no topic, and asks for the rights on topics and not for those on the cluster. */
const request = (topics: readonly string[]): Encoder =>
  new Encoder()
    .writeNullableArray(topics)
    .writeBoolean(false)
    .writeBoolean(false)
    .writeBoolean(true);

function response(bytes: Buffer) {
  const decoder = new Decoder(bytes);
  const [int16, int32] = [() => decoder.readInt16(), () => decoder.readInt32()];
  return {
    throttleTime: int32(),
    brokers: decoder.readArray(() => ({
      nodeId: int32(),
      host: decoder.readString(),
      port: int32(),
      rack: decoder.readString(),
    })),
    clusterId: decoder.readString(),
    controllerId: int32(),
    topicMetadata: decoder.readArray(() => ({
      topicErrorCode: int16(),
      topic: decoder.readString(),
      isInternal: decoder.readBoolean(),
      partitionMetadata: decoder.readArray(() => ({
        partitionErrorCode: int16(),
        partitionId: int32(),
        leader: int32(),
        leaderEpoch: int32(),
        replicas: decoder.readArray(int32),
        isr: decoder.readArray(int32),
        offlineReplicas: decoder.readArray(int32),
      })),
      operations: int32(),
    })),
    clusterOperations: int32(),
  };
}
