import {
  type AssistantEventsServiceServer,
  assistantEventRecord,
  type OutgoingAssistantEvent,
  type PublishRequest,
  validateAssistantEvent,
} from '@junction/contracts';
import { AppError } from '@junction/errors';
import type { OutRecord, ProducerPort } from '@junction/messaging';
import { clientStream, type Logger, unary } from '@junction/service-kit';

const STREAM_EVENTS_MAX = 10_000;
const BATCH_EVENTS_MAX = 200;
const BATCH_BYTES_MAX = 1_024 * 1_024;

export interface AssistantEventsOptions {
  readonly producer: ProducerPort;
  /** With its prefix. */
  readonly topic: string;
  readonly log: Logger;
}

/** Hands events to Kafka for producers that do not write there themselves. */
export const assistantEventsService = ({
  producer,
  topic,
  log,
}: AssistantEventsOptions): AssistantEventsServiceServer => ({
  publish: unary(log, async (request) => {
    const { record, messageId } = checked(request, topic);
    await send(producer, [record]);
    return { messageId };
  }),

  publishStream: clientStream(log, async (requests) => {
    const messageIds: string[] = [];
    let batch: OutRecord[] = [];
    let bytes = 0;
    for await (const request of requests) {
      if (messageIds.length === STREAM_EVENTS_MAX) throw streamTooLong();
      const { record, messageId } = checked(request, topic);
      messageIds.push(messageId);
      batch.push(record);
      bytes += record.value.length;
      if (batch.length < BATCH_EVENTS_MAX && bytes < BATCH_BYTES_MAX) continue;
      await send(producer, batch);
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0) await send(producer, batch);
    return { messageIds };
  }),
});

/** Held to the same rules as a record that comes over Kafka, before it gets there. */
function checked(request: PublishRequest, topic: string) {
  const { id, source, type, userId, time, dataJson: data } = request;
  const event: OutgoingAssistantEvent = { id, source, type, userId, time, data };
  const record = assistantEventRecord(event);
  const verdict = validateAssistantEvent({ ...record, timestamp: time ?? new Date(0) });
  if (!verdict.ok) throw new AppError('invalid', verdict.code, verdict.reason);
  return { record: { topic, ...record }, messageId: verdict.event.messageId };
}

async function send(producer: ProducerPort, records: readonly OutRecord[]): Promise<void> {
  try {
    await producer.sendBatch(records);
  } catch (cause) {
    throw new AppError(
      'unavailable',
      'kafka_unavailable',
      'The events could not be stored just now. Send them again; what is there twice counts once.',
      { cause, retryAfterS: 1 },
    );
  }
}

const streamTooLong = () =>
  new AppError(
    'too_large',
    'stream_too_long',
    `A stream carries at most ${STREAM_EVENTS_MAX} events. Open another for the rest.`,
  );
