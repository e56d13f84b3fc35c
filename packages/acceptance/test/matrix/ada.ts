import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { connect, type Person, type Product } from '@junction/demo';
import { eventually, type Receiver } from '@junction/testing';
import { inAuth } from './auth-database.js';

/** A user with one of everything that an operation can name. */
export interface Ada {
  readonly person: Person;
  /** Ada's value of each path parameter, by the path up to the parameter: `/api/webhooks/{id}`. */
  readonly things: Readonly<Record<string, string>>;
  /** Texts that no answer to another caller may contain. */
  readonly canaries: readonly string[];
  /** Returns everything that Ada sees of these things. */
  kept(): Promise<readonly unknown[]>;
}

/** Gives this user one thing of each kind. One of them is a passkey, so the tests cannot sign her in afterwards. */
export async function adaOf(person: Person, product: Product, receiver: Receiver): Promise<Ada> {
  const url = `${receiver.url}/${randomUUID()}`;
  const secret = `secret ${randomUUID()}`;
  const [hook, key, sessions, connected] = await Promise.all([
    ask(person, 'POST', '/api/webhooks', { url, secret, events: ['draft.created'], enabled: true }),
    ask(person, 'POST', '/api/auth/api-keys', { name: randomUUID() }),
    ask(person, 'GET', '/api/auth/sessions'),
    connect(person, 'mailbox'),
  ]);
  const webhook = `/api/webhooks/${hook['webhook_id']}`;
  const sent = await ask(person, 'POST', `${webhook}/test`, { event_type: 'draft.created' });
  const delivery = `/api/deliveries/${sent['delivery_id']}`;
  await eventually(async () =>
    expect(await ask(person, 'GET', delivery)).toMatchObject({ status: 'succeeded' }),
  );
  const operation = await ask(person, 'POST', `${webhook}/replay`, {
    from: new Date(Date.now() - HOUR_MS).toISOString(),
    to: new Date().toISOString(),
    outcomes: ['succeeded'],
    confirm: true,
  });
  await eventually(async () =>
    expect(
      await ask(person, 'GET', `/api/webhooks/operations/${operation['operation_id']}`),
    ).toEqual(expect.objectContaining({ status: 'completed' })),
  );
  await eventually(async () => {
    const { items } = (await ask(person, 'GET', '/api/deliveries')) as unknown as {
      items: Fields[];
    };
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['succeeded']));
  });
  const { integration_id: integration } = connected.body as Fields;
  const [session] = sessions['items'] as unknown as Fields[];
  const things = {
    '/api/webhooks/{id}': hook['webhook_id'],
    '/api/webhooks/{id}/deliveries/{deliveryId}': sent['delivery_id'],
    '/api/deliveries/{deliveryId}': sent['delivery_id'],
    '/api/events/{messageId}': sent['message_id'],
    '/api/webhooks/operations/{id}': operation['operation_id'],
    '/api/integrations/{integration}': integration,
    '/api/integrations/{integrationId}': integration,
    '/api/auth/api-keys/{id}': key['id'],
    '/api/auth/sessions/{id}': session?.['id'],
    '/api/auth/passkeys/{id}': await addPasskey(product, person.id),
  } as Readonly<Record<string, string>>;
  const { email, password, token, refreshToken } = person;
  return {
    person,
    things,
    canaries: [
      email,
      password,
      token,
      refreshToken,
      url,
      secret,
      key['key'] ?? '',
      key['name'] ?? '',
    ],
    kept: async () => {
      const seen = await Promise.all(KEPT.map((path) => ask(person, 'GET', path)));
      return seen.map((one) => JSON.parse(JSON.stringify(one), withoutUse) as unknown);
    },
  };
}

const HOUR_MS = 3_600_000;
type Fields = Readonly<Record<string, string>>;

const KEPT = [
  '/api/auth/me',
  '/api/auth/second-factors',
  '/api/auth/api-keys',
  '/api/integrations',
  '/api/webhooks',
  '/api/webhooks/operations',
  '/api/deliveries',
  '/api/events',
];

/** The use of a key is written some time after it, and a relay may send an event of a service a second time. */
const LATE = new Set(['last_used_at', 'last_repeat_at', 'repeats']);

const withoutUse = (name: string, value: unknown): unknown => (LATE.has(name) ? undefined : value);

async function ask(person: Person, method: string, path: string, json?: object): Promise<Fields> {
  const { status, body } = await person.call(method, path, json && { json });
  if (status >= 300)
    throw new Error(`${method} ${path} answered ${status} ${JSON.stringify(body)}`);
  return body as Fields;
}

/** Adds a passkey that no authenticator made: nothing here signs in with it. */
async function addPasskey(product: Product, userId: string): Promise<string> {
  const id = `pky_${randomUUID()}`;
  await inAuth(
    product,
    `insert into passkeys (passkey_id, user_id, credential_id, public_key, counter, transports, name, created_at)
     values ($1, $2, $1, '', 0, '{}', 'phone', now())`,
    [id, userId],
  );
  return id;
}
