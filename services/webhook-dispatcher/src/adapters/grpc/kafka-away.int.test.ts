import { randomUUID } from 'node:crypto';
import { credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AssistantEventsServiceClient,
  AssistantEventsServiceService,
  type PublishResponse,
  type PublishStreamResponse,
} from '@junction/contracts';
import { kafkaClient } from '@junction/messaging';
import { remoteKeys, tokenVerifier } from '@junction/service-kit/callers';
import { closeGrpc, grpcServer } from '@junction/service-kit/grpc';
import { logger, metrics } from '@junction/service-kit/process';
import { PUBLIC_URL, startIssuer } from '../../../test/issuer.js';
import { assistantEventsService } from './assistant-events-service.js';

// Nobody listens there.
const NOWHERE = ['127.0.0.1:1'];

describe('while Kafka is away', () => {
  it('an event is not acknowledged, and its producer is asked to send it again', async () => {
    const answer = new Promise<PublishResponse>((resolve, reject) => {
      client.publish(event(), metadata, settle(resolve, reject));
    });
    await expect(answer).rejects.toMatchObject(unavailable);
  });

  it('nor is any event of a stream', async () => {
    const answer = new Promise<PublishStreamResponse>((resolve, reject) => {
      const call = client.publishStream(metadata, settle(resolve, reject));
      for (let n = 0; n < 3; n++) call.write(event());
      call.end();
    });
    await expect(answer).rejects.toMatchObject(unavailable);
  });
});

const unavailable = {
  code: status.UNAVAILABLE,
  details: expect.stringContaining('Send them again'),
};

const event = () => ({
  id: randomUUID(),
  source: 'assistant/tests',
  type: 'draft.created',
  userId: randomUUID(),
  time: undefined,
  dataJson: Buffer.from('{}'),
});

const settle =
  <Response>(resolve: (response: Response) => void, reject: (error: Error) => void) =>
  (error: ServiceError | null, response: Response) => {
    if (error) reject(error);
    else resolve(response);
  };

const metadata = new Metadata();
const closing: { close(): unknown }[] = [];
let client: AssistantEventsServiceClient;

beforeAll(async () => {
  const issuer = await startIssuer();
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const kafka = kafkaClient({ brokers: NOWHERE, clientId: 'kafka-away', log: silent });
  const producer = await kafka.producer();
  const log = logger('kafka-away', 'error');
  const keys = remoteKeys(issuer.jwksUrl);
  const audience = 'webhook-dispatcher';
  const implementation = assistantEventsService({ producer, topic: 'assistant.events.v1', log });
  const scopes = { publish: 'events:publish', publishStream: 'events:publish' };
  const door = await grpcServer({
    log,
    metrics: metrics('kafka-away'),
    host: '127.0.0.1',
    port: 0,
    security: { plaintext: true },
    verify: tokenVerifier({ keys, issuer: PUBLIC_URL, audience, kind: 'service' }),
    services: [{ definition: AssistantEventsServiceService, implementation, scopes }],
  });
  const channel = credentials.createInsecure();
  client = new AssistantEventsServiceClient(`127.0.0.1:${door.port}`, channel);
  metadata.set('authorization', `Bearer ${issuer.serviceToken()}`);
  closing.push(issuer, producer, { close: () => closeGrpc(door) }, client);
});

afterAll(async () => {
  for (const one of closing.toReversed()) await one.close();
});
