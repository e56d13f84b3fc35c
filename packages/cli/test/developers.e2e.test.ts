import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useProduct } from '@junction/demo';
import { eventually, type Receiver, startReceiver } from '@junction/testing';
import { verify } from '@junction/webhook-signing';
import { type Developer, newDeveloper } from './developer.js';
import { junction, startJunction, values } from './junction.js';

const product = useProduct();
let person: Developer;
let receiver: Receiver;
let webhookId: string;
let secret: string;

beforeAll(async () => {
  [person, receiver] = await Promise.all([newDeveloper(product()), startReceiver()]);
});

afterAll(async () => {
  await receiver?.close();
});

const env = () => ({ JUNCTION_API_KEY: person.apiKey });
const begin = (line: string) => startJunction(product(), line.split(' '), env());
const cli = async (line: string) => junction(product(), line.split(' '), env());

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

  it('says which kind was meant, and names what is wrong as it was typed', async () => {
    const mistyped = await cli('webhooks create http://127.0.0.1:9/x --events draft.creatd');
    expect(mistyped.code).toBe(2);
    expect(mistyped.err).toMatch(/There is no kind draft\.creatd\. Did you mean draft\.created\?/);
    const refused = await cli('webhooks create ftp://127.0.0.1 --events draft.created');
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/^<url> must /);
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
    const [{ items: again }] = values(
      await cli('deliveries list --json --sent-again --text nowhere'),
    ) as [{ items: unknown[] }];
    expect(again).toEqual([]);
    const [{ items }] = values(await cli('deliveries list --json --sent-again false')) as [
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
    expect((await cli(`${line} --event-types draft.creatd`)).err).toContain('draft.created');
    const replayed = await cli(`${line} --event-types draft.created --yes --json`);
    expect(replayed.code).toBe(0);
    const [operation] = values(replayed) as [
      { status: string; sent: number; event_types: string[] },
    ];
    expect(operation.event_types).toEqual(['draft.created']);
    expect(operation.status).toBe('completed');
    expect(operation.sent).toBeGreaterThan(0);
    await eventually(() =>
      expect(receiver.requests.length).toBeGreaterThanOrEqual(before + operation.sent),
    );
  });
});

it('junction connections and webhooks delete', async () => {
  expect((await cli('connections')).out).toBe('Nothing is connected.\n');
  expect((await cli(`webhooks delete ${webhookId}`)).code).toBe(2);
  expect((await cli(`webhooks delete ${webhookId} --yes`)).code).toBe(0);
});
