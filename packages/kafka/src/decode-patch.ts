import Decoder from 'kafkajs/src/protocol/decoder.js';
import response from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { DecodedSoFar, decodeRecordSet } from './record-set.js';

/**
 * Decodes fetch responses instead of kafkajs 2.2.4, which knows gzip alone, does not bound the uncompressed size, takes
 * minutes for a record with 20,000 headers, and drops the whole response with all its partitions when a single batch
 * cannot be decoded. kafkajs requests version 11 from Kafka 2.3 and newer.
 */
export function decodeFetches(): void {
  response.decode = async (payload) => {
    const decoder = new Decoder(payload);
    const clientSideThrottleTime = decoder.readInt32();
    const errorCode = decoder.readInt16();
    const sessionId = decoder.readInt32();
    const soFar = new DecodedSoFar();
    const responses = await decoder.readArrayAsync(async () => ({
      topicName: decoder.readString(),
      partitions: await decoder.readArrayAsync(() => partitionOf(decoder, soFar)),
    }));
    // The broker does not wait before it answers: KIP-219 leaves that to the client.
    return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
  };
}

/** Decodes one partition: https://kafka.apache.org/protocol#The_Messages_Fetch, version 11. */
async function partitionOf(decoder: Decoder, soFar: DecodedSoFar) {
  return {
    partition: decoder.readInt32(),
    errorCode: decoder.readInt16(),
    highWatermark: String(decoder.readInt64()),
    lastStableOffset: String(decoder.readInt64()),
    lastStartOffset: String(decoder.readInt64()),
    abortedTransactions: decoder.readArray(() => ({
      producerId: String(decoder.readInt64()),
      firstOffset: String(decoder.readInt64()),
    })),
    preferredReadReplica: decoder.readInt32(),
    messages: await decodeRecordSet(decoder.readBytes() ?? Buffer.alloc(0), soFar),
  };
}
