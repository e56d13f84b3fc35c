export {
  type ClientCredentialsOptions,
  clientCredentials,
  type TokenSource,
} from '@junction/client-credentials';
export type { EventData, EventKind } from '@junction/contracts';
export type { EventOf, EventProducer, NewEvent, Published } from './event-producer.js';
export { type EventTypes, readEventTypes } from './event-types.js';
export { type GrpcProducerOptions, grpcProducer } from './grpc-producer.js';
export { type KafkaProducerOptions, kafkaProducer } from './kafka-producer.js';
export { addToOutbox, OUTBOX_SQL, type OutboxClient } from './outbox.js';
export {
  type OutboxPool,
  type OutboxRelay,
  type OutboxRelayOptions,
  startOutboxRelay,
} from './outbox-relay.js';
export { InvalidEventError } from './prepare.js';
