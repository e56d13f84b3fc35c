import { beforeAll, expect, it } from '@jest/globals';
import { connect, type Person, signUp, useProduct } from '@junction/demo';
import { kafkaProducer } from '@junction/producer';
import { apiAt, type Call, eventually, startReceiver } from '@junction/testing';

const MAILED_WITHIN_MS = 60_000;
const NEW_PASSWORD = 'another horse battery';
const DELETED = 'Your account was deleted';

const product = useProduct();
let api: Call;

beforeAll(() => {
  api = apiAt(product().endpoints.gateway);
});

it('a webhook that is disabled is mailed to its owner, until one click stops such mails', async () => {
  const gone = await startReceiver();
  gone.answer({ status: 410 });
  const brokers = [product().endpoints.kafka];
  const producer = await kafkaProducer({ brokers, source: '/e2e' });
  try {
    const ada = await signUp(api);
    const webhook = { url: gone.url, events: ['draft.created'], enabled: true };
    const made = await ada.call('POST', '/api/webhooks/configure', { json: webhook });
    expect(made.status).toBe(201);
    await verify(ada);
    await producer.publish({ type: 'draft.created', userId: ada.id, data: {} });

    const { links, text, unsubscribe = '' } = await mailTo(ada.email, 'A webhook was disabled');
    // No mail client makes a link of a name: signs and digits have a zero-width non-joiner behind them.
    expect(text.replaceAll('\u200c', '')).toContain(
      `Your webhook at ${new URL(gone.url).host} was disabled on `,
    );
    expect(links[0]).toMatch(new RegExp(`^${product().endpoints.gateway}/webhooks/wh_`));
    const { pathname, search } = new URL(unsubscribe);
    const page = await api('GET', pathname + search);
    expect([page.status, page.headers.get('location')]).toEqual([303, links.at(-1)]);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const click = { text: 'List-Unsubscribe=One-Click', headers: form };
    expect((await api('POST', pathname + search, click)).status).toBe(204);
    const me = await ada.call('GET', '/api/auth/me');
    expect(me.body).toMatchObject({ user: { trouble_mails: false } });
    const again = await ada.call('PATCH', '/api/auth/me', { json: { trouble_mails: true } });
    expect(again).toMatchObject({ status: 200, body: { user: { trouble_mails: true } } });
  } finally {
    await producer.close();
    await gone.close();
  }
});

it('an account that was deleted is brought back by a mail, works as before, and then ends at once', async () => {
  const ada = await signUp(api);
  await verify(ada);
  await addWebhook(ada.call);
  await connect(ada, 'mailbox');
  const deletion = await ada.call('DELETE', '/api/auth/me', { json: { password: ada.password } });
  const { receipt_id } = deletion.body as { receipt_id: string };
  await eventually(async () => {
    const { body } = await api('GET', `/api/auth/deletion-receipts/${receipt_id}`);
    expect(body).toEqual({
      deleted_at: expect.any(String),
      open_until: expect.any(String),
      ended: {
        auth: { sessions: 1, api_keys: 0 },
        integrations: { connections: 1 },
        'webhook-dispatcher': { webhooks: 1 },
      },
      services: { auth: null, integrations: null, 'webhook-dispatcher': null },
      complete: false,
    });
    expect((await ada.call('GET', '/api/webhooks')).status).toBe(401);
  });
  const { email } = ada;
  const again = await api('POST', '/api/auth/register', {
    json: { email, password: NEW_PASSWORD },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'email_taken' } });

  const first = tokenIn((await mailTo(email, DELETED)).links[0]);
  const undone = { token: first, new_password: NEW_PASSWORD };
  expect((await api('POST', '/api/auth/undo-changes', { json: undone })).status).toBe(204);
  const login = await api('POST', '/api/auth/login', { json: { email, password: NEW_PASSWORD } });
  const { access_token: token } = login.body as { access_token: string };
  const call: Call = (method, path, options) => api(method, path, { token, ...options });
  // The services let the user in again once they have heard of it.
  await eventually(async () => {
    expect((await call('GET', '/api/webhooks')).body).toMatchObject({ items: [] });
    expect((await call('GET', '/api/integrations')).status).toBe(200);
  });
  expect((await call('GET', '/api/auth/me')).body).toMatchObject({ user: { id: ada.id } });
  await addWebhook(call);
  await connect({ ...ada, call }, 'mailbox');

  await call('DELETE', '/api/auth/me', { json: { password: NEW_PASSWORD } });
  const second = await eventually(async () => {
    const newest = tokenIn((await mailTo(email, DELETED)).links[0]);
    expect(newest).not.toBe(first);
    return newest;
  });
  const ended = await api('POST', '/api/auth/undo-changes/end-account', {
    json: { token: second },
  });
  expect(ended.status).toBe(200);
  const { receipt_id: last } = ended.body as { receipt_id: string };
  await eventually(async () => {
    const { body } = await api('GET', `/api/auth/deletion-receipts/${last}`);
    expect(body).toEqual({
      deleted_at: expect.any(String),
      services: {
        auth: { sessions: 1, api_keys: 0, passkeys: 0 },
        integrations: { connections: 1 },
        'webhook-dispatcher': { webhooks: 1 },
      },
      complete: true,
    });
  });
});

async function addWebhook(call: Call): Promise<void> {
  const webhook = {
    url: 'https://receiver.example/hook',
    events: ['draft.created'],
    enabled: true,
  };
  const made = await call('POST', '/api/webhooks/configure', { json: webhook });
  expect(made.status).toBe(201);
}

/** Verifies the address by the link of the mail about it, which leads into the product. */
async function verify({ email, password }: Person): Promise<void> {
  const { links } = await mailTo(email, 'Verify your e-mail address');
  expect(links[0]).toMatch(new RegExp(`^${product().endpoints.gateway}/verify-email#token=`));
  const json = { token: tokenIn(links[0]), password };
  expect((await api('POST', '/api/auth/verify-email', { json })).status).toBe(204);
}

const tokenIn = (link = ''): string => link.split('#token=')[1] ?? '';

it('a webhook that a stolen session makes is mailed, and disabled by the link of that mail', async () => {
  const ada = await signUp(api);
  await verify(ada);
  const theirs = { url: 'https://thief.example/', events: ['draft.created'], enabled: true };
  const made = await ada.call('POST', '/api/webhooks/configure', { json: theirs });
  const { webhook_id: id } = made.body as { webhook_id: string };

  const { links, text } = await mailTo(ada.email, 'Webhooks were made or changed');
  expect(text).toContain('A webhook for draft.created was made on');
  expect(links[0]).toBe(`${product().endpoints.gateway}/webhooks/${id}`);
  const undo = { token: tokenIn(links[1]), new_password: NEW_PASSWORD };
  expect((await api('POST', '/api/auth/undo-changes', { json: undo })).status).toBe(204);
  const { email } = ada;
  const login = await api('POST', '/api/auth/login', { json: { email, password: NEW_PASSWORD } });
  const { access_token: token } = login.body as { access_token: string };
  await eventually(async () => {
    const found = await api('GET', `/api/webhooks/${id}`, { token });
    expect(found.body).toMatchObject({ status: 'disabled', disabled_reason: 'user' });
  });
});

interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly links: readonly string[];
  readonly unsubscribe?: string;
}

const mailTo = (email: string, subject: string): Promise<Mail> =>
  eventually(
    async () => {
      const { mail } = product().endpoints;
      const answer = await fetch(`${mail}/mails.json?to=${encodeURIComponent(email)}`);
      const { items } = (await answer.json()) as { items: readonly Mail[] };
      const found = items.find((one) => one.subject === subject);
      if (found === undefined) throw new Error(`${email} has no mail "${subject}".`);
      return found;
    },
    { deadlineMs: MAILED_WITHIN_MS },
  );
