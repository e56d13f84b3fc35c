import {
  type AssistantEventsServiceServer,
  AssistantEventsServiceService,
  type DataSchemas,
  decodePublishRequest,
  type PublishStreamResponse,
  SERVICE_SCOPES,
} from '@junction/contracts';
import { AppError } from '@junction/errors';
import { messagingSpan, type OutRecord, type ProducerPort } from '@junction/messaging';
import { clientStream, unary } from '@junction/service/grpc';
import type { Logger } from '@junction/service/process';
import { batchSpan, recordedTraceparent } from '@junction/telemetry';
import { ASSISTANT_TOPIC } from '../kafka/assistant-events.js';
import { type BrokenRule, checkedEvent } from './checked-event.js';

const STREAM_EVENTS_MAX = 10_000;
/** An answer that tells each must fit into a message of gRPC. */
const STREAM_REFUSED_MAX = 1_000;
const BATCH_EVENTS_MAX = 200;
const BATCH_BYTES_MAX = 1_024 * 1_024;

export interface AssistantEventsOptions {
  readonly producer: ProducerPort;
  /** With its prefix. */
  readonly topic: string;
  /** Schemas of the kinds that may be published. */
  readonly schemas: DataSchemas;
  readonly log: Logger;
}

const { publish, publishStream } = AssistantEventsServiceService;

/** Hands events to Kafka for producers that do not write there themselves, to callers who may publish. */
export const assistantEventsGrpc = (options: AssistantEventsOptions) => ({
  definition: {
    publish: { ...publish, requestDeserialize: decodePublishRequest },
    publishStream: { ...publishStream, requestDeserialize: decodePublishRequest },
  },
  implementation: assistantEventsService(options),
  scopes: { publish: SERVICE_SCOPES.publishEvents, publishStream: SERVICE_SCOPES.publishEvents },
});

const assistantEventsService = ({
  producer,
  topic,
  schemas,
  log,
}: AssistantEventsOptions): AssistantEventsServiceServer => ({
  publish: unary(log, async (request, { traceparent }) => {
    const event = checkedEvent(request, schemas);
    if (!event.ok) throw refused(event);
    await send(producer, [{ topic, ...event.record }], traceparent);
    return { messageId: event.messageId };
  }),

  publishStream: clientStream(log, async (requests, { traceparent }) => {
    const answer: PublishStreamResponse = { messageIds: [], refused: [] };
    let batch: OutRecord[] = [];
    let bytes = 0;
    for await (const request of requests) {
      const index = answer.messageIds.length;
      if (index === STREAM_EVENTS_MAX) throw streamTooLong();
      const event = checkedEvent(request, schemas);
      answer.messageIds.push(event.ok ? event.messageId : '');
      if (!event.ok) {
        const { field, code, reason } = event;
        if (answer.refused.push({ index, field, code, reason }) > STREAM_REFUSED_MAX) {
          throw refused(event, 'Too many events of this stream break a rule; of the last: ');
        }
        continue;
      }
      batch.push({ topic, ...event.record });
      bytes += event.record.value.length;
      if (batch.length < BATCH_EVENTS_MAX && bytes < BATCH_BYTES_MAX) continue;
      await send(producer, batch, traceparent);
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0) await send(producer, batch, traceparent);
    return answer;
  }),
});

const refused = ({ field, code, reason }: BrokenRule, before = '') =>
  new AppError(code, before + reason, { fields: [{ field, code, message: reason }] });

async function send(
  producer: ProducerPort,
  records: readonly OutRecord[],
  traceparent: string | undefined,
): Promise<void> {
  try {
    await batchSpan(messagingSpan('send', ASSISTANT_TOPIC, records.length), [traceparent], () =>
      producer.sendBatch(inTrace(records, recordedTraceparent() ?? traceparent)),
    );
  } catch (cause) {
    throw new AppError(
      'kafka_unavailable',
      'The events could not be stored just now. Send them again; what is there twice counts once.',
      { cause, retryAfterS: 1 },
    );
  }
}

const inTrace = (
  records: readonly OutRecord[],
  traceparent: string | undefined,
): readonly OutRecord[] =>
  traceparent === undefined
    ? records
    : records.map((record) => ({ ...record, headers: { ...record.headers, traceparent } }));

const streamTooLong = () =>
  new AppError(
    'stream_too_long',
    `A stream carries at most ${STREAM_EVENTS_MAX} events. Open another for the rest.`,
  );
