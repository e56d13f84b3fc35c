import assert from 'node:assert/strict';
import { createClient, type JunctionClient } from '@junction/client';
import { type EventProducer, kafkaProducer } from '@junction/producer';
import { apiAt, eventually, type Receiver, startReceiver } from '@junction/testing';
import type { Endpoints } from './endpoints.js';
import { connect, type Person, signUp } from './person.js';
import type { Tell } from './story.js';

/** A circuit rests for WEBHOOK_BREAKER_RESET_S, 30 s unless set, before it is tested. */
const WAITING = { deadlineMs: 90_000, pollMs: 200 };
/** Seconds before the one retry: a delivery that fails twice is given up. */
const RETRY_SCHEDULE_S = [1];

/**
 * Tells the story of a failing receiver: a retry, a circuit that opens and closes, and a replay of the deliveries
 * that were given up. Returns the person to whom it happened, who signs up with this address.
 * @throws at the first thing that is not as it should be.
 */
export async function tellTrouble(
  endpoints: Endpoints,
  tell: Tell,
  email = `grace.${Date.now().toString(36)}@example.com`,
): Promise<Person> {
  const { gateway: baseUrl } = endpoints;
  const grace = await signUp(apiAt(baseUrl), email);
  const api = createClient({ baseUrl, credential: { email, password: grace.password } });
  assert.equal((await connect(grace, 'mailbox')).status, 200);
  const receiver = await startReceiver();
  const producer = await kafkaProducer({
    brokers: [endpoints.kafka],
    source: 'https://assistant.example/demo',
  });
  try {
    const params = await configure(api, `${receiver.url}/hook`, tell);
    const scene = { api, params, receiver, remind: reminder(producer, grace.id), tell };
    await retry(scene);
    await rest(scene);
    await replay(scene);
    return grace;
  } finally {
    await producer.close();
    await receiver.close();
  }
}

/** Parameters that name the webhook in the paths of the API. */
interface OfWebhook {
  readonly path: { readonly id: string };
}

interface Scene {
  readonly api: JunctionClient;
  readonly params: OfWebhook;
  readonly receiver: Receiver;
  /** Publishes an event. */
  readonly remind: (text: string) => Promise<unknown>;
  readonly tell: Tell;
}

async function configure(api: JunctionClient, url: string, tell: Tell): Promise<OfWebhook> {
  const body = {
    url,
    events: ['reminder.sent'],
    secret: 'a secret of the demo',
    enabled: true,
    retry_schedule: RETRY_SCHEDULE_S,
  };
  const configured = await api.post('/api/webhooks/configure', { body });
  tell('Another user signs up, connects a mailbox and configures a webhook', configured);
  return { path: { id: configured.webhook_id } };
}

/** Shows a retry: the receiver fails once. */
async function retry(scene: Scene): Promise<void> {
  const { receiver, remind, tell } = scene;
  receiver.answer(() => ({ status: receiver.requests.length === 1 ? 500 : 200 }));
  await remind('Call back before noon');
  const [first] = await deliveries(scene, 'succeeded', 1);
  const ids = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
  assert.equal(receiver.requests.length, 2);
  assert.equal(ids.size, 1);
  tell('Its receiver answers 500', 'The delivery is tried again after 1 s.', 'bad');
  tell('The retry, with the same webhook-id, is answered 200', first, 'good');
}

/** Shows the circuit: the receiver is down for a while. */
async function rest(scene: Scene): Promise<void> {
  const { receiver, remind, tell } = scene;
  receiver.answer({ status: 503 });
  await remind('Water the plants');
  const [lost] = await deliveries(scene, 'exhausted', 1);
  tell('The receiver goes down: a delivery fails twice and is given up', lost, 'bad');
  for (const text of ['Buy milk', 'Post the letter', 'Book a table', 'Feed the cat']) {
    await remind(text);
  }
  const circuit = await circuitOf(scene, 'open');
  tell('The circuit opens: nothing is sent until a probe succeeds', circuit, 'waiting');

  receiver.answer({});
  tell('The receiver is back', 'A probe finds out within half a minute …', 'waiting');
  await circuitOf(scene, 'closed');
  await deliveries(scene, 'succeeded', 5);
  tell(
    'The probe succeeded: the circuit is closed, and what waited has arrived',
    undefined,
    'good',
  );
}

/** Counts the deliveries that were given up, and then replays them. */
async function replay(scene: Scene): Promise<void> {
  const { api, params, tell } = scene;
  const now = Date.now();
  const span = {
    from: new Date(now - 3_600_000).toISOString(),
    to: new Date(now).toISOString(),
    outcomes: ['exhausted'],
  } as const;
  for (const confirm of [false, true]) {
    const body = { ...span, confirm };
    const answer = await api.post('/api/webhooks/{id}/replay', { params, body });
    tell(confirm ? 'Replay it' : 'What would a replay send again?', answer);
  }
  await deliveries(scene, 'succeeded', 6);
  tell('What was given up has arrived', 'Every event was received.', 'good');
}

const reminder = (producer: EventProducer, userId: string) => (text: string) =>
  producer.publish({ type: 'reminder.sent', userId, data: { text } });

/** Waits until so many deliveries have this status, and returns them. */
const deliveries = ({ api, params }: Scene, status: string, count: number) =>
  eventually(async () => {
    const query = { webhook_id: params.path.id, status };
    const { items } = await api.get('/api/deliveries', { params: { query } });
    assert.equal(items.length, count, `${items.length} deliveries are ${status}`);
    return items;
  }, WAITING);

const circuitOf = ({ api, params }: Scene, wanted: 'open' | 'closed') =>
  eventually(async () => {
    const { circuit } = await api.get('/api/webhooks/{id}', { params });
    assert.equal(circuit === undefined ? 'closed' : 'open', wanted);
    return circuit;
  }, WAITING);
