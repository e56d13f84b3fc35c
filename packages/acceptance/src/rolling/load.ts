import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Endpoints, type Person, signUp, worker } from '@junction/demo';
import { type EventProducer, kafkaProducer } from '@junction/producer';
import { type ApiAnswer, apiAt, type Call, type Receiver } from '@junction/testing';

const PEOPLE = 8;
const REQUEST_EVERY_MS = 100;
const RPC_EVERY_MS = 100;
const EVENT_EVERY_MS = 50;
const PUBLISH_AGAIN_MS = 200;
const FAILURES_MAX = 100;

/** The counts of a load so far. */
export interface Tally {
  requests: number;
  rpcs: number;
  /** Descriptions of failed requests and calls, at most a hundred. */
  readonly failures: string[];
  /** When each event was handed to Kafka, ms since the epoch, by its message id. */
  readonly published: Map<string, number>;
}

export interface Load {
  readonly tally: Tally;
  /** Finishes what is under way. */
  stop(): Promise<void>;
}

/** A user who uses the product all the time. */
interface Client {
  readonly person: Person;
  readonly webhookId: string;
  readonly requests: readonly (() => Promise<ApiAnswer>)[];
}

/** Users at the gateway, a worker at the gRPC server and a producer at Kafka, at a steady pace. */
export async function startLoad(endpoints: Endpoints, receiver: Receiver): Promise<Load> {
  const api = apiAt(endpoints.gateway);
  const tally: Tally = { requests: 0, rpcs: 0, failures: [], published: new Map() };
  const fail = (what: string, how: unknown) => {
    if (tally.failures.length < FAILURES_MAX) tally.failures.push(`${what}: ${String(how)}`);
  };
  const clients: Client[] = [];
  while (clients.length < PEOPLE) clients.push(await newClient(api, receiver));
  const [first] = clients;
  assert.ok(first);
  assert.equal((await connect(first.person, 'mailbox')).status, 200);

  // A second attempt would hide a call that failed.
  const tokens = worker(endpoints, { attemptsMax: 1 });
  const producer = await kafkaProducer({ brokers: [endpoints.kafka], source: '/rolling' });
  const stopping = new AbortController();
  const { signal } = stopping;

  const asking = clients.map(async ({ requests }) =>
    steadily(REQUEST_EVERY_MS, signal, async (turn) => {
      const request = requests[turn % requests.length];
      tally.requests += 1;
      await request?.().catch((error: unknown) => fail(`request ${turn % requests.length}`, error));
    }),
  );
  const vending = steadily(RPC_EVERY_MS, signal, async () => {
    tally.rpcs += 1;
    const vended = tokens.get({ userId: first.person.id, provider: 'mailbox' });
    await vended.catch((error: unknown) => fail('GetAccessToken', error));
  });
  const publishing = steadily(EVENT_EVERY_MS, signal, async (turn) => {
    const userId = clients[turn % PEOPLE]?.person.id ?? '';
    const event = { id: randomUUID(), type: 'draft.created' as const, userId, data: { turn } };
    const atMs = Date.now();
    const messageId = await publishUntilTaken(producer, event, (error) => fail('publish', error));
    tally.published.set(messageId, atMs);
  });

  const load = Promise.all([...asking, vending, publishing]);
  load.catch(() => undefined); // `stop` tells
  return {
    tally,
    async stop() {
      stopping.abort();
      try {
        await load;
      } finally {
        tokens.close();
        await producer.close();
      }
    },
  };
}

/** Publishes an event until it is taken, under one id as a producer would: a repetition is then the same event. */
async function publishUntilTaken(
  producer: EventProducer,
  event: Parameters<EventProducer['publish']>[0],
  onFailure: (error: unknown) => void,
): Promise<string> {
  for (;;) {
    try {
      return (await producer.publish(event)).messageId;
    } catch (error) {
      onFailure(error);
      await sleep(PUBLISH_AGAIN_MS);
    }
  }
}

/** Turn after turn, one at a time, none before its time. */
async function steadily(
  everyMs: number,
  stopping: AbortSignal,
  act: (turn: number) => Promise<void>,
): Promise<void> {
  const beganMs = performance.now();
  for (let turn = 0; !stopping.aborted; turn++) {
    await act(turn);
    const restMs = beganMs + (turn + 1) * everyMs - performance.now();
    if (restMs > 0) await sleep(restMs);
  }
}

async function newClient(api: Call, receiver: Receiver): Promise<Client> {
  const person = await signUp(api);
  const hook = { url: `${receiver.url}/${person.id}`, events: ['draft.created'], enabled: true };
  const configured = await person.call('POST', '/api/webhooks/configure', { json: hook });
  const { webhook_id: webhookId } = configured.body as { webhook_id: string };
  const made = await person.call('POST', '/api/auth/api-keys', { json: { name: 'rolling' } });
  const { key } = made.body as { key: string };

  const expecting = (method: string, path: string, json?: object, token?: string) => async () => {
    const answer = await person.call(method, path, {
      ...(json && { json }),
      ...(token && { token }),
    });
    if (answer.status === 200) return answer;
    throw new Error(`${method} ${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  const webhook = `/api/webhooks/${webhookId}`;
  return {
    person,
    webhookId,
    requests: [
      expecting('GET', '/api/auth/me'),
      expecting('GET', '/api/integrations'),
      expecting('PATCH', webhook, { enabled: true }),
      expecting('GET', webhook),
      refreshing(api, person),
      expecting('POST', '/api/webhooks/configure', hook),
      expecting('GET', '/api/integrations/mailbox', undefined, key),
      expecting('GET', '/api/webhooks', undefined, key),
    ],
  };
}

/** Uses up a refresh token each time, so it must work with the one that came back before. */
function refreshing(api: Call, { refreshToken }: Person): () => Promise<ApiAnswer> {
  let current = refreshToken;
  return async () => {
    const json = { refresh_token: current };
    const answer = await api('POST', '/api/auth/refresh', { json });
    if (answer.status !== 200) {
      throw new Error(`refresh answered ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    current = (answer.body as { refresh_token: string }).refresh_token;
    return answer;
  };
}
