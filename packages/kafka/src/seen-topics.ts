import type { Admin, ITopicMetadata } from 'kafkajs';
import Broker, { type MetadataTopic } from 'kafkajs/src/broker/index.js';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import { FlexibleDecoder, flexibleEncoder, NO_ID, writeStructures } from './flexible-versions.js';
import type { TopicOperation } from './kafka-port.js';

const METADATA = 3;
/** The first version that tells rights: KIP-430, Kafka 2.3. */
const WITH_RIGHTS = 8;
/** The version of Kafka 3.1, which tells ids and is the first whose fetches take them: KIP-516. */
const WITH_IDS = 12;
/** Error codes of https://kafka.apache.org/protocol#protocol_error_codes. */
const UNKNOWN_TOPIC = 3;
const NOT_AUTHORIZED = 29;
/** Places of the operations in the bits of an answer, which are their numbers in an ACL. */
const PLACES: Readonly<Record<TopicOperation, number>> = { Read: 3, Write: 4, DescribeConfigs: 10 };

export interface TopicWithRights extends ITopicMetadata {
  /** Operations that this user may carry out. */
  readonly rights: readonly TopicOperation[];
  /** Another one once the topic is made anew. Undefined before Kafka 3.1. */
  readonly id: string | undefined;
}

export interface Seen {
  readonly topics: readonly TopicWithRights[];
  /** Topics that this user may not describe: nobody tells whether they exist. */
  readonly hidden: readonly string[];
}

/** Answers by the names that were asked for: kafkajs hands on nothing but partitions. */
const answers = new WeakMap<readonly string[], readonly MetadataTopic[]>();
let isPatched = false;

/** Returns topics with their ids and what this user may do with each. Those that do not exist are left out. */
export async function seenTopics(admin: Admin, names: readonly string[]): Promise<Seen> {
  askForMore();
  const asked = [...names];
  answers.set(asked, []);
  const { topics } = await admin.fetchTopicMetadata({ topics: asked });
  const told = new Map(answers.get(asked)?.map((topic) => [topic.topic, topic]));
  const codeOf = (name: string) => told.get(name)?.topicErrorCode;
  return {
    topics: topics
      .filter(({ name }) => codeOf(name) !== UNKNOWN_TOPIC && codeOf(name) !== NOT_AUTHORIZED)
      .map((topic) => {
        const { operations = 0, topicId: id } = told.get(topic.name) ?? {};
        return { ...topic, id, rights: rightsIn(operations) };
      }),
    hidden: names.filter((name) => codeOf(name) === NOT_AUTHORIZED),
  };
}

const rightsIn = (bits: number): readonly TopicOperation[] =>
  (Object.keys(PLACES) as TopicOperation[]).filter((one) => (bits >> PLACES[one]) & 1);

/** Makes kafkajs 2.2.4, which knows Metadata up to version 6, ask for ids and rights of the topics of `answers`. */
function askForMore(): void {
  if (isPatched) return;
  isPatched = true;
  const { metadata } = Broker.prototype;
  Broker.prototype.metadata = async function withMore(topics) {
    if (!answers.has(topics)) return metadata.call(this, topics);
    const latest = this.versions[METADATA]?.maxVersion ?? 0;
    if (latest < WITH_RIGHTS) {
      throw new Error('Topics can be looked at from Kafka 2.3 on: these brokers are older.');
    }
    const apiVersion = latest < WITH_IDS ? WITH_RIGHTS : WITH_IDS;
    const encode = async () => (apiVersion === WITH_IDS ? byIds(topics) : byNames(topics));
    const lookupRequest: Broker['lookupRequest'] = () => () => ({
      request: { apiKey: METADATA, apiVersion, apiName: 'Metadata', encode },
      response: {
        decode: async (bytes: Buffer) =>
          response(apiVersion === WITH_IDS ? new FlexibleDecoder(bytes) : new Decoder(bytes)),
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
const byNames = (topics: readonly string[]): Encoder =>
  new Encoder()
    .writeNullableArray(topics)
    .writeBoolean(false)
    .writeBoolean(false)
    .writeBoolean(true);

/** Asks the same. */
function byIds(topics: readonly string[]): Encoder {
  const encoder = flexibleEncoder();
  writeStructures(encoder, topics, (name) => {
    encoder.writeBuffer(NO_ID).writeUVarIntString(name);
  });
  return encoder.writeBoolean(false).writeBoolean(true).writeUVarInt(0);
}

function response(decoder: Decoder) {
  const [int16, int32] = [() => decoder.readInt16(), () => decoder.readInt32()];
  const withIds = decoder instanceof FlexibleDecoder ? decoder : undefined;
  const ints = () => (withIds ? withIds.readInts() : decoder.readArray(int32));
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
      topicId: withIds?.readTopicId(),
      isInternal: decoder.readBoolean(),
      partitionMetadata: decoder.readArray(() => ({
        partitionErrorCode: int16(),
        partitionId: int32(),
        leader: int32(),
        leaderEpoch: int32(),
        replicas: ints(),
        isr: ints(),
        offlineReplicas: ints(),
      })),
      operations: int32(),
    })),
  };
}
