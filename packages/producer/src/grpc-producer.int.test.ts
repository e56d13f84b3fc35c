import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AssistantEventsServiceServer,
  AssistantEventsServiceService,
  messageId,
  type PublishRequest,
} from '@junction/contracts';
import type { EventProducer, NewEvent } from './event-producer.js';
import { grpcProducer } from './grpc-producer.js';

const USER = '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d';

describe('an event published over gRPC', () => {
  it('arrives with every field, the very bytes of data and a service token', async () => {
    const data = Buffer.from('{ "total": 1.0 }');
    const time = new Date('2026-01-02T03:04:05.678Z');

    await expect(
      producer.publish({ id: 'draft-17', type: 'draft.created', userId: USER, data, time }),
    ).resolves.toEqual({ messageId: messageId('assistant', 'draft-17', USER) });
    expect(received).toEqual([
      {
        id: 'draft-17',
        source: 'assistant',
        type: 'draft.created',
        userId: USER,
        time,
        dataJson: data,
      },
    ]);
    expect(tokens).toEqual(['Bearer token-1']);
  });

  it('leaves its time to Kafka when it names none', async () => {
    await producer.publish({ type: 'draft.created', userId: USER, data: {} });
    expect(received[0]?.time).toBeUndefined();
  });

  it('is sent again under the same id when the service is not there', async () => {
    answers.push(status.UNAVAILABLE, status.UNAVAILABLE);
    await producer.publish({ type: 'draft.created', userId: USER, data: {} });

    expect(received).toHaveLength(3);
    expect(new Set(received.map(({ id }) => id)).size).toBe(1);
  });

  it('is sent once more with a new token when the service refuses the first', async () => {
    answers.push(status.UNAUTHENTICATED);
    await producer.publish({ type: 'draft.created', userId: USER, data: {} });

    expect(tokens).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('fails when the service refuses the new token too', async () => {
    answers.push(status.UNAUTHENTICATED, status.UNAUTHENTICATED);
    await expect(
      producer.publish({ type: 'draft.created', userId: USER, data: {} }),
    ).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    expect(tokens).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('is invalid when it breaks a rule that the service alone knows', async () => {
    answers.push(status.INVALID_ARGUMENT);
    await expect(
      producer.publish({ type: 'draft.created', userId: USER, data: {} }),
    ).rejects.toMatchObject({ name: 'InvalidEventError', code: 'refused_by_service' });
  });

  it('fails after five tries that nobody took', async () => {
    answers.push(...Array<status>(6).fill(status.UNAVAILABLE));
    await expect(
      producer.publish({ type: 'draft.created', userId: USER, data: {} }),
    ).rejects.toMatchObject({
      code: status.UNAVAILABLE,
      message: expect.stringMatching(/^webhook-dispatcher at .* did not take the event/),
    });
    expect(received).toHaveLength(5);
  });

  it('fails with the words of the last refusal, not of the deadline, when the next try hangs', async () => {
    const hasty = opened(1_000);
    answers.push(status.UNAVAILABLE, HANGS);
    await expect(
      hasty.publish({ type: 'draft.created', userId: USER, data: {} }),
    ).rejects.toMatchObject({
      code: status.UNAVAILABLE,
      message: expect.stringContaining('Not now.'),
    });
    expect(received).toHaveLength(2);
    await hasty.close();
  });

  it('never leaves when it breaks a rule', async () => {
    await expect(
      producer.publish({ type: 'draft.deleted', userId: USER, data: {} } as unknown as NewEvent),
    ).rejects.toMatchObject({ code: 'ce_type_unknown' });
    expect(received).toEqual([]);
  });
});

const HANGS = 'hangs';
const received: PublishRequest[] = [];
const tokens: unknown[] = [];
/** Statuses with which the next calls are refused; later calls are accepted. */
const answers: (status | typeof HANGS)[] = [];
let tokenNumber = 1;
let server: Server;
let producer: EventProducer;
let opened: (deadlineMs: number) => EventProducer;

const implementation: AssistantEventsServiceServer = {
  publish(call, callback) {
    received.push(call.request);
    tokens.push(...call.metadata.get('authorization'));
    const code = answers.shift();
    if (code === HANGS) return;
    if (code !== undefined) {
      callback({ code, details: 'Not now.', metadata: new Metadata() });
    } else {
      const { source, id, userId } = call.request;
      callback(null, { messageId: messageId(source, id, userId) });
    }
  },
  publishStream(_, callback) {
    callback({ code: status.UNIMPLEMENTED, details: '' });
  },
};

beforeAll(async () => {
  server = new Server();
  server.addService(AssistantEventsServiceService, implementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  opened = (deadlineMs) =>
    grpcProducer({
      address: `127.0.0.1:${port}`,
      source: 'assistant',
      token: Object.assign(async () => `token-${tokenNumber}`, {
        refused: () => void tokenNumber++,
      }),
      channel: 'plaintext',
      deadlineMs,
    });
  producer = opened(20_000);
});

beforeEach(() => {
  received.length = 0;
  tokens.length = 0;
  answers.length = 0;
  tokenNumber = 1;
});

afterAll(async () => {
  await producer.close();
  server.forceShutdown();
});
