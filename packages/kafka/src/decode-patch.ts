import Decoder from 'kafkajs/src/protocol/decoder.js';
import response from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { FlexibleDecoder } from './flexible-versions.js';
import type { FetchedMessage } from './record-batch.js';
import { DecodedSoFar, decodeRecordSet } from './record-set.js';

/**
 * Errors of a partition whose log does not go on where it was read: OFFSET_OUT_OF_RANGE, UNKNOWN_TOPIC_ID,
 * INCONSISTENT_TOPIC_ID. kafkajs would go on at the beginning after the first, and knows none of the others.
 */
const LOST = new Set([1, 100, 103]);
/** The error after which kafkajs asks for the topics again, and has all partitions assigned anew. */
const UNKNOWN_TOPIC_OR_PARTITION = 3;

/** Messages of a partition, with the topic id that their fetch named. */
export type FetchedMessages = readonly FetchedMessage[] & { readonly topicId?: string | undefined };

/**
 * Decodes fetch responses instead of kafkajs 2.2.4, which knows gzip alone, does not bound the uncompressed size, takes
 * minutes for a record with 20,000 headers, and drops the whole response with all its partitions when a single batch
 * cannot be decoded. kafkajs requests version 11 from Kafka 2.3 and newer.
 */
export function decodeFetches(): void {
  response.decode = async (payload) =>
    decoded(new Decoder(payload), (decoder) => ({ topicName: decoder.readString() }));
}

/** Decodes a response of version 13, which names topics by ids. `names` has the name of each. */
export const decodeById = async (payload: Buffer, names: ReadonlyMap<string, string>) =>
  decoded(new FlexibleDecoder(payload), (decoder) => {
    const topicId = decoder.readTopicId();
    return { topicId, topicName: names.get(topicId ?? '') ?? null };
  });

interface Topic {
  readonly topicName: string | null;
  readonly topicId?: string | undefined;
}

async function decoded<D extends Decoder>(decoder: D, topicOf: (decoder: D) => Topic) {
  const clientSideThrottleTime = decoder.readInt32();
  const errorCode = decoder.readInt16();
  const sessionId = decoder.readInt32();
  const soFar = new DecodedSoFar();
  const responses = await decoder.readArrayAsync(async () => {
    const { topicName, topicId } = topicOf(decoder);
    const partitions = await decoder.readArrayAsync(() => partitionOf(decoder, topicId, soFar));
    return { topicName, partitions };
  });
  // The broker does not wait before it answers: KIP-219 leaves that to the client.
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
}

/** Decodes one partition: https://kafka.apache.org/protocol#The_Messages_Fetch, versions 11 and 13. */
async function partitionOf(decoder: Decoder, topicId: string | undefined, soFar: DecodedSoFar) {
  return {
    partition: decoder.readInt32(),
    errorCode: errorOf(decoder.readInt16()),
    highWatermark: String(decoder.readInt64()),
    lastStableOffset: String(decoder.readInt64()),
    lastStartOffset: String(decoder.readInt64()),
    abortedTransactions: decoder.readArray(() => ({
      producerId: String(decoder.readInt64()),
      firstOffset: String(decoder.readInt64()),
    })),
    preferredReadReplica: decoder.readInt32(),
    messages: Object.assign(await decodeRecordSet(decoder.readBytes() ?? Buffer.alloc(0), soFar), {
      topicId,
    }) satisfies FetchedMessages,
  };
}

const errorOf = (code: number): number => (LOST.has(code) ? UNKNOWN_TOPIC_OR_PARTITION : code);
