import Decoder from 'kafkajs/src/protocol/decoder.js';
import response from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { DecodedSoFar, decodeRecordSet } from './record-set.js';

/**
 * Decodes what a fetch brings instead of kafkajs 2.2.4, which knows gzip alone, has no bound for what comes out of it,
 * takes minutes for a record with 20,000 headers, and gives up the whole answer, all partitions in it, for one batch that
 * it cannot decode. Version 11 is what it asks of Kafka 2.3 and newer.
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

/** https://kafka.apache.org/protocol#The_Messages_Fetch, version 11. */
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
