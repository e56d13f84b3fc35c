import { promisify } from 'node:util';
import { ChannelCredentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import {
  AssistantEventsServiceClient,
  type PublishRequest,
  type PublishResponse,
} from '@junction/contracts';
import type { EventProducer } from './event-producer.js';
import { prepare } from './prepare.js';

export interface GrpcProducerOptions {
  /** `host:port` of webhook-dispatcher. */
  readonly address: string;
  /** Who publishes, for instance assistant/inbox: the source of every event. */
  readonly source: string;
  /** A service token for webhook-dispatcher with the scope events:publish; asked for at each call. */
  readonly token: () => Promise<string>;
  /** `ChannelCredentials.createSsl(ca)` of @grpc/grpc-js; in clear text only on a development machine. */
  readonly channel: ChannelCredentials | 'plaintext';
  /** Retries included. Default 5 s. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 5_000;

// The id is fixed before the first try, so a repeated call is one event.
const RETRIES = {
  methodConfig: [
    {
      name: [{ service: 'junction.events.v1.AssistantEventsService' }],
      retryPolicy: {
        maxAttempts: 5,
        initialBackoff: '0.1s',
        maxBackoff: '1s',
        backoffMultiplier: 2,
        retryableStatusCodes: ['UNAVAILABLE'],
      },
    },
  ],
};

/** Publishes through webhook-dispatcher. For producers that cannot reach Kafka. */
export function grpcProducer(options: GrpcProducerOptions): EventProducer {
  const { address, source, token, channel, deadlineMs = DEADLINE_MS } = options;
  const credentials = channel === 'plaintext' ? ChannelCredentials.createInsecure() : channel;
  const client = new AssistantEventsServiceClient(address, credentials, {
    'grpc.service_config': JSON.stringify(RETRIES),
    'grpc.keepalive_time_ms': 30_000,
    'grpc.max_receive_message_length': 1_048_576,
  });
  const publish = promisify(
    (
      request: PublishRequest,
      metadata: Metadata,
      deadline: number,
      done: (error: ServiceError | null, response: PublishResponse) => void,
    ) => client.publish(request, metadata, { deadline }, done),
  );

  return {
    async publish(event) {
      const { messageId: _, data, time, ...fields } = prepare(source, event);
      const request = { ...fields, time, dataJson: data };
      const metadata = new Metadata();
      metadata.set('authorization', `Bearer ${await token()}`);
      return publish(request, metadata, Date.now() + deadlineMs);
    },

    async close() {
      client.close();
    },
  };
}
