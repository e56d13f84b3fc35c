import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiAt, type SharedProduct, sharedProduct } from '@junction/demo';
import { eventually, type Receiver, startReceiver } from '@junction/testing';
import { verify } from '@junction/webhook-signing';
import { junction, startJunction, values } from './junction.js';
import { MINUTE, type Publisher, publisher } from './operator.js';

const ADDRESS = `${randomUUID()}@example.com`;
const PASSWORD = `pass ${randomUUID()}`;

let product: SharedProduct;
let home: string;
let receiver: Receiver;
let userId: string;
let events: Publisher;
let webhookId: string;
let secret: string;

beforeAll(async () => {
  product = await sharedProduct(process.env);
  receiver = await startReceiver();
  home = mkdtempSync(path.join(tmpdir(), 'junction-home-'));
  const json = { email: ADDRESS, password: PASSWORD };
  const registered = await apiAt(product.endpoints.gateway)('POST', '/api/auth/register', { json });
  userId = (registered.body as { user: { id: string } }).user.id;
  events = await publisher(product);
}, 4 * MINUTE);

afterAll(async () => {
  rmSync(home, { recursive: true });
  await events?.close();
  await receiver?.close();
  expect(await product?.stop()).toBe(0);
}, MINUTE);

const env = () => ({ XDG_CONFIG_HOME: home });
const begin = (line: string, input = '') => startJunction(product, line.split(' '), env(), input);
const cli = async (line: string, input = '') => junction(product, line.split(' '), env(), input);

describe('junction login', () => {
  it('is asked for, in words that say what to do', async () => {
    const { code, out, err } = await cli('webhooks list');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('junction login');
  });

  it('refuses a wrong password', async () => {
    const { code, err } = await cli(`login --email ${ADDRESS}`, 'wrong\n');
    expect(code).toBe(1);
    expect(err).toContain('invalid_credentials');
  });

  it('keeps the session in a file of its owner', async () => {
    const { code, out, err } = await begin(`login --email ${ADDRESS}`, `${PASSWORD}\n`).ended;
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(err).not.toContain(PASSWORD);
    const file = path.join(home, 'junction/session.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const status = await cli('status --json');
    expect(values(status)).toEqual([
      expect.objectContaining({ user: expect.objectContaining({ email: ADDRESS }), webhooks: 0 }),
    ]);
  });

  it('takes an API key instead', async () => {
    const { access_token: token } = JSON.parse(
      readFileSync(path.join(home, 'junction/session.json'), 'utf8'),
    ) as { access_token: string };
    const json = { name: 'cli', scopes: ['webhooks:read'] };
    const api = apiAt(product.endpoints.gateway);
    const made = await api('POST', '/api/auth/api-keys', { token, json });
    const { key } = made.body as { key: string };
    const byKey = await junction(product, ['status'], { JUNCTION_API_KEY: key });
    expect(byKey).toMatchObject({ code: 0, err: '' });
    expect(byKey.out).toContain('an API key');
    const folder = path.join(home, 'by-key');
    const logged = { XDG_CONFIG_HOME: folder };
    expect((await junction(product, ['login', '--api-key', key], logged)).code).toBe(0);
    expect((await junction(product, ['webhooks', 'list'], logged)).code).toBe(0);
    expect((await junction(product, ['logout'], logged)).code).toBe(0);
    expect((await junction(product, ['webhooks', 'list'], logged)).code).toBe(1);
  });
});

describe('junction webhooks', () => {
  it('creates one with a secret that is shown once', async () => {
    const url = `${receiver.url}/hook`;
    const made = await cli(`webhooks create ${url} --events draft.created --json`);
    expect(made.code).toBe(0);
    ({ webhook_id: webhookId, secret } = values(made)[0] as { webhook_id: string; secret: string });
    expect(secret).toMatch(/^whsec_/);

    const shown = await cli(`webhooks show ${webhookId}`);
    expect(shown.out).toMatch(/state +active\n/);
    expect(shown.out).not.toContain(secret);
  });

  it('says which kinds there are when it is given another', async () => {
    const { code, err } = await cli('webhooks create http://127.0.0.1:9/x --events nothing.sent');
    expect(code).toBe(2);
    expect(err).toContain('draft.created');
  });

  it('pauses and resumes', async () => {
    const paused = await cli(`webhooks pause ${webhookId} --json`);
    expect(values(paused)).toEqual([expect.objectContaining({ status: 'paused' })]);
    const resumed = await cli(`webhooks resume ${webhookId} --json`);
    expect(values(resumed)).toEqual([expect.objectContaining({ status: 'active' })]);
  });
});

describe('junction deliveries', () => {
  it('tails what trigger sends, which the receiver can verify', async () => {
    const tail = begin('deliveries tail -n 1 --json');
    await eventually(() => expect(tail.err()).toContain('Listening.'));
    const triggered = await cli('trigger draft.created');
    expect(triggered).toMatchObject({ code: 0 });
    expect(triggered.out).toMatch(/^HTTP 200 after \d+ ms\n$/);
    const [request] = receiver.requests;
    expect(verify(request?.body ?? '', request?.headers ?? {}, secret)).toMatchObject({
      event_type: 'draft.created',
    });
    expect(values(await tail.ended)).toEqual([
      expect.objectContaining({ type: 'delivery.attempted', response_status: 200 }),
    ]);
  });

  it('lists, shows and resends', async () => {
    const [{ items }] = values(await cli('deliveries list --json')) as [
      { items: [{ delivery_id: string; message_id: string }] },
    ];
    const [{ delivery_id: id, message_id: messageId }] = items;
    const shown = await cli(`deliveries show ${id}`);
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toMatch(/ATTEMPT .*\n +1 .* 200 /);
    const resent = await cli(`deliveries resend ${id} --json`);
    expect(values(resent)).toEqual([
      expect.objectContaining({ message_id: messageId, redelivery_of: id, status: 'succeeded' }),
    ]);
    const missing = await cli('deliveries show dlv_0190f3a0-0000-7000-8000-000000000001');
    expect(missing.code).toBe(1);
    expect(missing.err).toContain('junction deliveries list');
  });

  it('fails when what it sends does not get through, and says why', async () => {
    receiver.answer({ status: 500 });
    const { code, out, err } = await cli('trigger draft.created');
    receiver.answer({ status: 200 });
    expect(code).toBe(1);
    expect(out).toContain('HTTP 500');
    expect(err).toContain('junction deliveries show dlv_');
  });

  it('replays what came, after it was said how much that is', async () => {
    const line = `deliveries replay ${webhookId} --from 2020-01-01T00:00:00Z --outcomes succeeded`;
    const unsure = await cli(line);
    expect(unsure.code).toBe(2);
    expect(unsure.err).toContain('--yes');
    const before = receiver.requests.length;
    const replayed = await cli(`${line} --yes --json`);
    expect(replayed.code).toBe(0);
    const [operation] = values(replayed) as [{ status: string; sent: number }];
    expect(operation.status).toBe('completed');
    expect(operation.sent).toBeGreaterThan(0);
    await eventually(() =>
      expect(receiver.requests.length).toBeGreaterThanOrEqual(before + operation.sent),
    );
  });
});

describe('junction listen', () => {
  it('forwards an event that no webhook gets, signed, and shows the answer beside it', async () => {
    const local = await startReceiver();
    local.answer({ status: 202 });
    const target = `--forward ${local.url}/hook`;
    const listening = begin(`listen ${target} --events meeting.* -n 1 --json`);
    const people = begin(`listen ${target} --events meeting.joined -n 1 --secret mine`);
    for (const one of [listening, people]) {
      await eventually(() => expect(one.err()).toContain('Listening.'));
    }
    const data = { note: 'for Zoë only', n: 1.0 };
    await events.publish(userId, 'inbox.organized', { total_emails: 1, categorized: {} });
    await events.publish(userId, 'meeting.joined', data);
    const [ready, event] = values(await listening.ended) as [
      { secret: string },
      { body: string; message_id: string; answer: object },
    ];
    expect(event).toMatchObject({
      event_type: 'meeting.joined',
      answer: { status: 202, ms: expect.any(Number) },
    });
    const ended = await people.ended;
    expect(ended.out).toMatch(/ meeting\.joined +msg_\S+ +202 in \d+ ms\n$/);
    expect(ended.err).not.toContain('whsec_');

    expect(local.requests).toHaveLength(2);
    const accepted = local.requests.map(({ body, headers }) =>
      [ready.secret, 'mine'].map((one) => {
        try {
          return verify(body, headers, one).event_type;
        } catch {
          return 'refused';
        }
      }),
    );
    expect(new Set(accepted.map(String))).toEqual(
      new Set(['meeting.joined,refused', 'refused,meeting.joined']),
    );
    for (const { body, headers } of local.requests) {
      expect(body.toString()).toBe(event.body);
      expect(headers['webhook-id']).toBe(event.message_id);
      expect(JSON.parse(body.toString())).toMatchObject({ user_id: userId, data });
    }
    await local.close();
  });

  it('is not needed to try a receiver: trigger forwards an example', async () => {
    const local = await startReceiver();
    const line = `trigger draft.created --forward ${local.url}/hook --secret mine`;
    const forwarded = await cli(line);
    expect(forwarded).toMatchObject({ code: 0 });
    expect(forwarded.out).toMatch(/^200 in \d+ ms\n$/);
    const [request] = local.requests;
    expect(verify(request?.body ?? '', request?.headers ?? {}, 'mine')).toMatchObject({
      event_type: 'draft.created',
      user_id: userId,
    });
    await local.close();
    expect((await cli(line)).code).toBe(1);
  });
});

it('junction completion completes in bash', () => {
  const script = `junction() { node "${path.resolve(import.meta.dirname, '../bin/junction.mjs')}" "$@"; }
    eval "$(junction completion bash)"
    COMP_WORDS=(junction deliveries re); COMP_CWORD=2; _junction; echo "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(out).toBe('resend replay\n');
});

it('junction connections, logout and webhooks delete', async () => {
  expect((await cli('connections')).out).toBe('Nothing is connected.\n');
  expect((await cli(`webhooks delete ${webhookId}`)).code).toBe(2);
  expect((await cli(`webhooks delete ${webhookId} --yes`)).code).toBe(0);
  expect((await cli('logout')).code).toBe(0);
  expect((await cli('status')).code).toBe(1);
});
