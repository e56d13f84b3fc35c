import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { connect, type Endpoints, serviceToken, signUp } from '@junction/demo';
import { apiAt, type Call, eventually, type Receiver, startReceiver } from '@junction/testing';

/** Answers that the reference shows, by their operations. */
export const ANSWERS_FILE = new URL('../../docs/answers.json', import.meta.url);

interface Request {
  /** Segments of the path, in their order. */
  readonly at?: readonly string[];
  readonly json?: object;
}

type Body = Readonly<Record<string, unknown>>;

/** Performs calls of the reference in the order in which somebody uses them, and returns their answers, settled. */
export async function recordAnswers(endpoints: Endpoints): Promise<Body> {
  const receiver = await startReceiver();
  try {
    const email = `${randomUUID()}@example.com`;
    const person = await signUp(apiAt(endpoints.gateway));
    const answers: Record<string, unknown> = {};
    const ask = asking(person.call, answers);
    await ask('register', { json: { email, password: person.password } });
    await ask('login', { json: { email: person.email, password: person.password } });
    await ask('refresh', { json: { refresh_token: person.refreshToken } });
    for (const id of ['getMe', 'listSessions', 'getSecondFactors']) await ask(id);
    const key = await ask('createApiKey', { json: { name: 'nightly export' } });
    for (const id of ['getApiKey', 'listApiKeys']) await ask(id, { at: [String(key['id'])] });
    await ask('rotateApiKey', { at: [String(key['id'])], json: {} });
    await connect(person, 'mailbox');
    await askForIntegrations(ask);
    await askForWebhooks(ask, receiver);
    const workers = apiAt(endpoints.http.integrations);
    const token = await serviceToken(endpoints, 'worker', 'integrations');
    const json = { user_id: person.id, provider: 'mailbox', scopes: ['mailbox.readonly'] };
    const asWorker: Call = async (method, path, options) =>
      workers(method, `/internal${path}`, { token, ...options });
    await asking(asWorker, answers)('getAccessToken', { json });
    return settled(answers, [
      [receiver.url, 'https://hooks.example.com'],
      [endpoints.gateway, 'http://localhost:8080'],
      [person.email, 'ada@example.com'],
      [email, 'grace@example.com'],
    ]);
  } finally {
    await receiver.close();
  }
}

type AskFor = (operationId: string, request?: Request) => Promise<Body>;

const asking = (call: Call, answers: Record<string, unknown>): AskFor => {
  const calls = callsOf();
  return async (operationId, { at = [], json } = {}) => {
    const called = calls.get(operationId);
    if (called === undefined) throw new Error(`The document has no operation ${operationId}.`);
    const [method, template] = called;
    const names = [...at];
    const path = template.replaceAll(/\{\w+\}/g, () => names.shift() ?? '');
    const { status, body } = await call(method.toUpperCase(), path, json ? { json } : {});
    if (status >= 300)
      throw new Error(`${operationId} answered ${status}: ${JSON.stringify(body)}`);
    answers[operationId] = body;
    return body as Body;
  };
};

async function askForIntegrations(ask: AskFor): Promise<void> {
  const { integrations } = await ask('listIntegrations');
  const [{ integration_id: id = '' } = {}] = integrations as { integration_id?: string }[];
  for (const one of ['getIntegration', 'listIntegrationHistory', 'makeIntegrationPrimary'])
    await ask(one, { at: [id] });
  await ask('listIdentityProviders');
  // The event of the connection comes before all others.
  await eventually(async () => expect((await ask('listEvents'))['items']).toHaveLength(1));
}

async function askForWebhooks(ask: AskFor, { url }: Pick<Receiver, 'url'>): Promise<void> {
  const events = ['draft.created'];
  const hook = { url: `${url}/hook`, events, enabled: true };
  const webhook = String((await ask('createWebhook', { json: hook }))['webhook_id']);
  const at = [webhook];
  await ask('configureWebhook', { json: hook });
  await ask('changeWebhook', { at, json: { description: 'Drafts' } });
  await ask('rotateWebhookSecret', { at, json: {} });
  for (const id of ['getWebhook', 'listWebhooks']) await ask(id, { at });
  const sent = await ask('sendTestEvent', { at, json: { event_type: 'draft.created' } });
  const delivery = String(sent['delivery_id']);
  await eventually(async () =>
    expect(await ask('findDelivery', { at: [delivery] })).toMatchObject({ status: 'succeeded' }),
  );
  for (const id of ['listDeliveries', 'listEvents']) await ask(id, { at });
  await ask('getEvent', { at: [String(sent['message_id'])] });
  await ask('previewFilter', { json: { events, filter: { path: 'subject', contains: 'Offer' } } });
  const span = { from: '2026-01-02T00:00:00Z', to: '2026-01-03T00:00:00Z' };
  await ask('replayWebhook', { at, json: span });
  await ask('redeliver', { at: [webhook, delivery] });
}

/** Returns the method and the path of each operation. */
function callsOf(): ReadonlyMap<string, readonly [string, string]> {
  const file = new URL('../../docs/openapi.json', import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => [operationId, [method, path]]),
    ),
  );
}

const SETTLED = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2030-01-02T03:04:05.678Z'],
  [/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, 'Wed, 02 Jan 2030 03:04:05 GMT'],
  [/"webhook-timestamp":"\d+"/g, '"webhook-timestamp":"1893553445"'],
  [/(sha256=|v1,|base64,)[\w+/=]{20,}/g, '$1…'],
  [/"(\w+_ms)":\d+(?:\.\d+)?/g, '"$1":12'],
  [/"access_token":"[\w.-]+"/g, '"access_token":"…"'],
  [/\b(jn_\w+?_|whsec_)[\w+/=-]{20,}/g, '$1…'],
] as const;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Puts fixed values for what differs from run to run: ids by their order, moments, durations, secrets, addresses. */
function settled(answers: Body, names: readonly (readonly [string, string])[]): Body {
  const ids = new Map<string, string>();
  const idOf = (id: string) => {
    const known =
      ids.get(id) ?? `0190f3a0-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`;
    ids.set(id, known);
    return known;
  };
  const named = names.reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    JSON.stringify(answers),
  );
  const text = SETTLED.reduce((made, [from, to]) => made.replaceAll(from, to), named);
  return JSON.parse(text.replaceAll(UUID, idOf)) as Body;
}
