import assert from 'node:assert/strict';
import { createClient, type JunctionClient } from '@junction/client';
import { walkConsent } from '@junction/dev-servers/provider';
import { type EventData, kafkaProducer, type NewEvent } from '@junction/producer';
import { type Receiver, startReceiver } from '@junction/testing';
import { verify, verifyServiceSignature } from '@junction/webhook-signing';
import type { Endpoints } from './endpoints.js';
import { worker } from './worker.js';

const DELIVERED_WITHIN_MS = 30_000;
const SECRET = 'a secret of the demo';

/** Data of each kind in the demo; only inbox.organized has prescribed fields. */
const EVENTS: EventData = {
  'inbox.organized': { total_emails: 47, categorized: { important: 5, meetings: 8, tasks: 12 } },
  'draft.created': { draft_id: 'draft-1', subject: 'Re: Thursday' },
  'meeting.joined': { meeting_id: 'meeting-1', notes: 'Three decisions, one open question.' },
  'briefing.sent': { items: 6 },
  'reminder.sent': { text: 'Call back before noon' },
};

/** Outcome of a step that is not simply done: good, bad, or still under way. */
export type Mood = 'good' | 'bad' | 'waiting';

/** Tells one step: what is done, and what came back. */
export type Tell = (step: string, result?: unknown, mood?: Mood) => void;

/**
 * The main job, from outside: sign up, connect mailbox and calendar on the provider's own consent
 * page and a second mailbox at another provider, configure a webhook, publish each kind, receive and
 * verify, disconnect.
 * @throws at the first thing that is not as it should be.
 */
export async function tellStory(endpoints: Endpoints, tell: Tell): Promise<void> {
  const receiver = await startReceiver();
  const tokens = worker(endpoints);
  try {
    const user = await signUp(endpoints.gateway, tell);
    for (const provider of ['mailbox', 'calendar']) await connect(user, { provider }, tell);
    const second = { provider: 'mailbox', identityProvider: 'globex' };
    const secondId = await connect(user, second, tell);
    await configure(user, receiver.url, tell);
    await publishAll(endpoints, user.id, tell);
    await receiveAll(receiver, user.id, tell);

    const vended = await tokens.get({ userId: user.id, provider: 'mailbox' });
    assert.ok(vended.accessToken.length > 0);
    tell('A worker asks for the mailbox token over gRPC', {
      access_token: `… (${vended.accessToken.length} characters)`,
      expires_at: vended.expiresAt,
      scopes: vended.scopes,
    });
    const other = { userId: user.id, provider: 'mailbox', integrationId: secondId };
    const vendedThere = await tokens.get(other);
    assert.notEqual(vendedThere.accessToken, vended.accessToken);
    tell('The worker asks for the token of the second mailbox, by its integration_id', {
      access_token: `… (${vendedThere.accessToken.length} characters)`,
      scopes: vendedThere.scopes,
    });

    for (const provider of ['mailbox', 'calendar']) {
      await user.api.delete('/api/integrations/{integration}', {
        params: { path: { integration: provider } },
      });
      const refusal = await tokens.get({ userId: user.id, provider }).then(
        () => assert.fail(`A ${provider} token was handed out after the disconnect`),
        (error: Error) => error.message,
      );
      tell(`Disconnect the ${provider}; the worker asks again and is refused`, refusal, 'good');
    }
  } finally {
    tokens.close();
    await receiver.close();
  }
}

interface User {
  readonly id: string;
  readonly email: string;
  readonly api: JunctionClient;
}

async function signUp(baseUrl: string, tell: Tell): Promise<User> {
  const email = `ada.${Date.now().toString(36)}@example.com`;
  const credential = { email, password: `correct horse ${crypto.randomUUID()}` };
  const api = createClient({
    baseUrl,
    credential,
    onTokens: ({ token_type, expires_in }) =>
      tell('POST /api/auth/login', {
        token_type,
        expires_in,
        access_token: '…',
        refresh_token: '…',
      }),
  });
  const registered = await createClient({ baseUrl }).post('/api/auth/register', {
    body: credential,
  });
  tell('POST /api/auth/register', registered);
  return { id: registered.user.id, email, api };
}

interface Connected {
  readonly provider: string;
  /** Absent: the first of the development providers. */
  readonly identityProvider?: string;
}

/** Connects the provider, and returns the id of the integration. */
async function connect(
  { api, email }: User,
  { provider, identityProvider }: Connected,
  tell: Tell,
): Promise<string> {
  const path = { provider };
  const query = identityProvider === undefined ? {} : { identity_provider: identityProvider };
  const begun = await api.get('/api/integrations/{provider}/authorize', {
    params: { path, query },
  });
  const { authorization_url: url, state } = begun;
  const choice = identityProvider === undefined ? '' : `?identity_provider=${identityProvider}`;
  tell(`GET /api/integrations/${provider}/authorize${choice}`, {
    authorization_url: `${url.split('?')[0]}?…`,
    state: '…',
  });

  const password = 'any password will do here';
  const back = await walkConsent(url, { email, password, allow: true });
  assert.equal(back.searchParams.get('state'), state);
  tell(`Sign in and agree on the consent page; the provider sends back to ${back.pathname}`);

  const connected = await api.post('/api/integrations/{provider}/connect', {
    params: { path },
    body: {
      auth_code: back.searchParams.get('code') ?? '',
      state,
      iss: back.searchParams.get('iss') ?? '',
    },
  });
  tell(`POST /api/integrations/${provider}/connect`, connected);
  tell('GET /api/integrations', await api.get('/api/integrations'));
  return connected.integration_id;
}

async function configure({ api }: User, url: string, tell: Tell): Promise<void> {
  const body = { url: `${url}/hook`, events: Object.keys(EVENTS), secret: SECRET, enabled: true };
  const configured = await api.post('/api/webhooks/configure', { body });
  tell('POST /api/webhooks/configure', configured);
}

async function publishAll(endpoints: Endpoints, userId: string, tell: Tell): Promise<void> {
  const producer = await kafkaProducer({
    brokers: [endpoints.kafka],
    source: 'https://assistant.example/demo',
  });
  try {
    for (const [type, data] of Object.entries(EVENTS)) {
      const { messageId } = await producer.publish({ type, userId, data } as NewEvent);
      tell(`Publish ${type}`, messageId);
    }
  } finally {
    await producer.close();
  }
}

async function receiveAll(receiver: Receiver, userId: string, tell: Tell): Promise<void> {
  for (const [type, data] of Object.entries(EVENTS)) {
    const request = await receiver.waitFor(
      ({ body }) => JSON.parse(body.toString()).event_type === type,
      DELIVERED_WITHIN_MS,
    );
    const payload = JSON.parse(request.body.toString());
    assert.deepEqual(Object.keys(payload), [
      'event_type',
      'user_id',
      'data',
      'timestamp',
      'webhook_id',
    ]);
    assert.equal(payload.user_id, userId);
    assert.deepEqual(payload.data, data);
    const { body, headers } = request;
    const signature = headers['x-service-signature']?.toString();
    assert.ok(verifyServiceSignature(body, signature, SECRET), `${type}: bad signature`);
    assert.deepEqual(verify(body, headers, SECRET), payload);
    tell(`Received ${type}, signature verified`, payload, 'good');
  }
}
