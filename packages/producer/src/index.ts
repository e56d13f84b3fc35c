export { type ClientCredentialsOptions, clientCredentials } from '@junction/client-credentials';
export type { EventProducer, NewEvent, Published } from './event-producer.js';
export { type GrpcProducerOptions, grpcProducer } from './grpc-producer.js';
export { type KafkaProducerOptions, kafkaProducer } from './kafka-producer.js';
export { InvalidEventError } from './prepare.js';
