import type { EachBatchPayload } from 'kafkajs';
import type { InboundRecord, TopicPartition } from './kafka-port.js';
import type { FetchedMessage } from './record-batch.js';

type Message = EachBatchPayload['batch']['messages'][number] & Pick<FetchedMessage, 'undecodable'>;

/** Converts a message of kafkajs. Bytes that are no UTF-8 become U+FFFD in key and headers; `value` keeps its bytes. */
export const inboundRecord = (
  { topic, partition }: TopicPartition,
  { offset, key, headers, value, timestamp, undecodable }: Message,
): InboundRecord => ({
  topic,
  partition,
  offset: BigInt(offset),
  key: key?.toString('utf8') ?? null,
  headers: headerTexts(headers ?? {}),
  value,
  timestamp: new Date(Number(timestamp)),
  ...(undecodable !== undefined && { undecodable }),
});

function headerTexts(headers: NonNullable<Message['headers']>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const text = headerText(headers[name]);
    if (text !== undefined) texts[name] = text;
  }
  return texts;
}

/**
 * Returns the text of a header. kafkajs collects a repeated header in an array, and mistakes a header named like a
 * member of Object.prototype for a repetition: then the array holds a function, too.
 */
function headerText(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value.find(Buffer.isBuffer) : value;
  return Buffer.isBuffer(first) ? first.toString('utf8') : undefined;
}
