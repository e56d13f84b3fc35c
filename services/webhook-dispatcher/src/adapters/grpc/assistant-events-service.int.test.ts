import { randomUUID } from 'node:crypto';
import { type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AssistantEventsServiceClient,
  catalogueOf,
  PublishRequest,
  PublishResponse,
  type PublishStreamResponse,
} from '@junction/contracts';
import { kafkaClient } from '@junction/messaging';
import { remoteKeys, tokenVerifier } from '@junction/service/callers';
import { closeGrpc, grpcServer } from '@junction/service/grpc';
import { logger, metrics } from '@junction/service/process';
import { PUBLIC_URL, startTokenIssuer, type TokenIssuer } from '@junction/testing';
import { bearer, grpcClient } from '@junction/testing/grpc';

import { assistantEventsGrpc } from './assistant-events-service.js';

// No broker listens on this port.
const NOWHERE = ['127.0.0.1:1'];

describe('publishing while Kafka is away', () => {
  it('acknowledges no event, and asks its producer to send it again', async () => {
    await expect(publish(event())).rejects.toMatchObject(unavailable);
  });

  it('acknowledges no event of a stream', async () => {
    const events = [event(), event(), event()];
    await expect(publishAll(events)).rejects.toMatchObject(unavailable);
  });
});

describe('events that are refused', () => {
  it('are named by what is wrong with them', async () => {
    const refusal = publish({ ...event(), type: 'made.up' }).catch((error: ServiceError) => error);
    const { code, metadata } = (await refusal) as ServiceError;
    expect(code).toBe(status.INVALID_ARGUMENT);
    // A field violation of google.rpc.BadRequest begins with its field: tag, length, name.
    expect(metadata.get('grpc-status-details-bin')[0]?.toString()).toContain('\n\u0004type');
  });

  it('have a Timestamp out of range', async () => {
    // Field 5, with as its field 1 the varint 2^63 - 1.
    const time = Buffer.from([0x2a, 0x0a, 0x08, ...Array.from({ length: 8 }, () => 0xff), 0x7f]);
    const request = Buffer.concat([PublishRequest.encode(event()).finish(), time]);
    const refusal = new Promise<PublishResponse>((resolve, reject) => {
      client.makeUnaryRequest(
        '/junction.events.v1.AssistantEventsService/Publish',
        (bytes: Buffer) => bytes,
        (bytes) => PublishResponse.decode(bytes),
        request,
        withToken(),
        inTime(),
        (error, response) => (response ? resolve(response) : reject(error)),
      );
    });
    await expect(refusal).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('time must be of the years 1 to 9999'),
    });
  });

  it('end a stream when they are too many', async () => {
    const broken = { ...event(), dataJson: Buffer.alloc(0) };
    const refusal = publishAll(Array.from({ length: 1_001 }, () => broken));
    await expect(refusal).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  });

  it('are larger than 256 KB, or than a message', async () => {
    const large = { ...event(), dataJson: Buffer.alloc(262_145, ' ') };
    await expect(publish(large)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('262144 bytes'),
    });
    const larger = { ...event(), dataJson: Buffer.alloc(1_100_000, ' ') };
    await expect(publish(larger)).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });
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

const withToken = (token = issuer.serviceToken('webhook-dispatcher', 'events:publish')) =>
  bearer(token);

/** The deadline of a call. */
const inTime = () => ({ deadline: Date.now() + 60_000 });

const publish = (one: ReturnType<typeof event>, token?: string) =>
  new Promise<PublishResponse>((resolve, reject) => {
    client.publish(one, withToken(token), inTime(), settle(resolve, reject));
  });

const publishAll = (events: readonly ReturnType<typeof event>[]) =>
  new Promise<PublishStreamResponse>((resolve, reject) => {
    const call = client.publishStream(withToken(), inTime(), settle(resolve, reject));
    for (const one of events) call.write(one);
    call.end();
  });

let issuer: TokenIssuer;
const closing: { close(): unknown }[] = [];
let client: AssistantEventsServiceClient;

beforeAll(async () => {
  issuer = await startTokenIssuer(PUBLIC_URL);
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const kafka = kafkaClient({ brokers: NOWHERE, clientId: 'test', log: silent });
  const producer = await kafka.producer();
  const log = logger('test', 'error');
  const keys = remoteKeys(issuer.jwksUrl);
  const audience = 'webhook-dispatcher';
  const topic = 'assistant.events.v1';
  const { schemas } = catalogueOf();
  const server = await grpcServer({
    log,
    metrics: metrics('test'),
    host: '127.0.0.1',
    port: 0,
    security: { plaintext: true },
    verify: tokenVerifier({ keys, issuer: PUBLIC_URL, audience, kind: 'service' }),
    services: [assistantEventsGrpc({ producer, topic, schemas, log })],
  });
  client = grpcClient(AssistantEventsServiceClient, `127.0.0.1:${server.port}`);
  closing.push(issuer, producer, { close: () => closeGrpc(server) }, client);
});

afterAll(async () => {
  for (const one of closing.toReversed()) await one.close();
});
