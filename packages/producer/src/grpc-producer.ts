import { promisify } from 'node:util';
import { ChannelCredentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { retry } from '@junction/async';
import { type TokenSource, withServiceToken } from '@junction/client-credentials';
import {
  AssistantEventsServiceClient,
  type EventData,
  type PublishRequest,
  type PublishResponse,
} from '@junction/contracts';
import { closable, notTaken } from './closable.js';
import type { EventProducer } from './event-producer.js';
import type { EventTypes } from './event-types.js';
import { InvalidEventError, inOwnNames, prepare } from './prepare.js';

export interface GrpcProducerOptions<Own extends object = object> {
  /** `host:port` of webhook-dispatcher. */
  readonly address: string;
  /** Name of the producer, for instance assistant/inbox: the source of every event. */
  readonly source: string;
  /** A service token for webhook-dispatcher with the scope events:publish; asked for at each call. */
  readonly token: TokenSource;
  /** `ChannelCredentials.createSsl(ca)` of @grpc/grpc-js; in clear text only on a development machine. */
  readonly channel: ChannelCredentials | 'plaintext';
  /** Milliseconds for a call, retries included. Default 5 s. */
  readonly deadlineMs?: number;
  /** Kinds of the installation, by `readEventTypes`. Default: the five. */
  readonly eventTypes?: EventTypes<Own>;
}

const DEADLINE_MS = 5_000;

const ATTEMPTS_MAX = 5;

/** Publishes through webhook-dispatcher. For producers that cannot reach Kafka. */
export function grpcProducer<Own extends object = object>(
  options: GrpcProducerOptions<Own>,
): EventProducer<EventData & Own> {
  const { address, source, token, channel, deadlineMs = DEADLINE_MS } = options;
  const schemas = options.eventTypes?.schemas;
  const credentials = channel === 'plaintext' ? ChannelCredentials.createInsecure() : channel;
  const client = new AssistantEventsServiceClient(address, credentials, {
    'grpc.keepalive_time_ms': 30_000,
    'grpc.max_receive_message_length': 1_048_576,
  });
  const call = promisify(
    (
      request: PublishRequest,
      metadata: Metadata,
      deadline: number,
      done: (error: ServiceError | null, response: PublishResponse) => void,
    ) => client.publish(request, metadata, { deadline }, done),
  );
  const publish = async (
    request: PublishRequest,
    traceparent: string | undefined,
    bearer: string,
    deadline: number,
  ) => {
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${bearer}`);
    if (traceparent !== undefined) metadata.set('traceparent', traceparent);
    return call(request, metadata, deadline);
  };

  return closable(
    async (event) => {
      const { messageId: _, data, time, traceparent, ...fields } = prepare(source, event, schemas);
      const request = { ...fields, time, dataJson: data };
      const deadline = Date.now() + deadlineMs;
      // The id is fixed before the first try, so a repeated call is one event.
      const attempt = async (bearer: string) =>
        patiently(() => publish(request, traceparent, bearer, deadline), deadline);
      return withServiceToken(token, attempt, isUnauthenticated).catch((error: unknown) => {
        throw translated(error as ServiceError, address);
      });
    },
    async () => client.close(),
  );
}

/**
 * Tries again what is refused with UNAVAILABLE, until the deadline. Rejects with the last refusal when the deadline
 * ends a try that hangs: a deadline says nothing of the reason.
 */
async function patiently<T>(work: () => Promise<T>, deadline: number): Promise<T> {
  let refusal: unknown;
  try {
    return await retry(work, {
      attemptsMax: ATTEMPTS_MAX,
      withinMs: deadline - Date.now(),
      isRetryable: (error) => codeOf(error) === status.UNAVAILABLE,
      onFailure: (error) => {
        refusal = error;
      },
    });
  } catch (error) {
    throw codeOf(error) === status.DEADLINE_EXCEEDED ? (refusal ?? error) : error;
  }
}

const isUnauthenticated = (error: unknown): boolean => codeOf(error) === status.UNAUTHENTICATED;

const codeOf = (error: unknown): unknown => (error as Partial<ServiceError>).code;

/** The service may be newer than this package, and know rules that are not checked here. */
function translated(error: ServiceError, address: string): Error {
  if (error.code === status.INVALID_ARGUMENT)
    return new InvalidEventError('refused_by_service', inOwnNames(error.details));
  return AWAY.has(error.code) ? notTaken(`webhook-dispatcher at ${address}`, error) : error;
}

const AWAY: ReadonlySet<unknown> = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED]);
