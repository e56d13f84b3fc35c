import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestService } from '@junction/testing';
import { eventually } from '@junction/testing';
import { publishedKeys, verify } from '@junction/webhook-signing';
import { requestsAt } from './received.js';
import { toolOf } from './tool.js';
import { type NewWebhook, useWorld } from './world.js';

// The pool is as small as the one that the production overlay gives a replica.
const world = useWorld(() => ({ DATABASE_POOL_MAX: '7' }));
const SETUP_MS = 90_000;
const MANY = 30;
/** Failures that a replica counts before it opens a circuit (BREAKER_SETTINGS). */
const FAILURES_MIN = 5;
let second: TestService;

beforeAll(async () => {
  second = await world().startAnother();
}, SETUP_MS);
afterAll(() => second?.end('SIGKILL'));

describe('many changes at the same time, through two replicas', () => {
  it('are all made to one webhook, and keep nobody else waiting', async () => {
    const { dispatcher, receiver, publish, newWebhook } = world();
    const [busy, other] = [await newWebhook(), await newWebhook()];
    const changing = many((n) => [
      busy.userId,
      'PATCH',
      `/api/webhooks/${busy.webhookId}`,
      { description: `${n}` },
    ]);
    const json = { description: 'of somebody else' };
    const webhook = `/api/webhooks/${other.webhookId}`;
    const changed = dispatcher.call(other.userId, 'PATCH', webhook, { json });
    const first = Promise.race([changing, changed]);
    await publish(other.userId);
    await receiver.waitFor(({ path }) => path === other.path);
    expect(await first).toMatchObject({ status: 200 });
    expect(statusesOf(await changing)).toEqual({ 200: MANY });
  });
});

describe('a retry that many ask for at the same time, through two replicas', () => {
  it('sends one probe while the circuit is open', async () => {
    const { dispatcher, receiver, publish, newWebhook } = world();
    const webhook = await newWebhook({ retry_schedule: [600] });
    let answered: Promise<void> = Promise.resolve();
    receiver.answer(({ path }) =>
      path === webhook.path ? { status: 500, after: answered } : { status: 200 },
    );
    const sent = () => requestsAt(receiver, webhook.path).length;
    const restsUntil = async () => {
      const { body } = await dispatcher.call(webhook.userId, 'GET', pathOf(webhook));
      return Date.parse((body['circuit'] as { probe_at: string } | undefined)?.probe_at ?? '');
    };
    const probed = async (asking: () => Promise<unknown>) => {
      const [before, until] = [sent(), await restsUntil()];
      await asking();
      // A probe that has failed begins a longer rest.
      await eventually(async () => expect(await restsUntil()).toBeGreaterThan(until));
      return sent() - before;
    };
    // Nothing is under way when the circuit opens, because each is answered before the next is published. A replica
    // counts for itself, so that one which takes the shard over meanwhile begins at nothing.
    const isOpen = async () => (await restsUntil()) > 0;
    for (let n = 1; n <= 3 * FAILURES_MIN && !(await isOpen()); n++) {
      await publish(webhook.userId);
      await eventually(async () => expect(sent() === n || (await isOpen())).toBe(true));
    }
    await eventually(async () => expect(await isOpen()).toBe(true));
    const path = `${pathOf(webhook)}/probe`;
    // The probe fails once all have asked, so none of them asks for another one.
    const asking = async () => {
      let allAsked = () => {};
      answered = new Promise((resolve) => (allAsked = resolve));
      const answers = await many(() => [webhook.userId, 'POST', path, {}]);
      allAsked();
      expect(statusesOf(answers)).toEqual({ 202: MANY });
    };
    expect(await probed(asking)).toBe(1);
    // Whatever else the many had begun would have been sent before this one.
    expect(await probed(() => dispatcher.call(webhook.userId, 'POST', path))).toBe(1);
  });
});

describe('a webhook key that has leaked', () => {
  it('is published and accepted no more once it is rotated, on every replica', async () => {
    const { dispatcher, newWebhook, publish, receiver } = world();
    const webhook = await newWebhook({ signature: 'ed25519' });
    const keysAt = async ({ url }: { readonly url: string }) =>
      publishedKeys(`${url}/.well-known/webhook-keys.json`)();
    const before = await keysAt(dispatcher);
    const json = { compromised: true };
    const rotated = await toolOf(world())('POST', 'webhook-keys/rotate', { json });
    const newKey = String(rotated.body['public_key']);
    for (const replica of [dispatcher, second]) {
      await eventually(async () => expect(await keysAt(replica)).toEqual([newKey]));
    }
    await publish(webhook.userId);
    const { body, headers } = await receiver.waitFor(({ path }) => path === webhook.path);
    expect(verify(body, headers, [newKey], webhook)).toBeDefined();
    expect(() => verify(body, headers, before, webhook)).toThrow('No signature');
    const { rows } = await world().database.pool.query<{ data: string }>(
      `select data::text from events where stream_id like 'ops-%'`,
    );
    const recorded = rows.map(({ data }) => data).join('');
    expect(recorded).toContain(rotated.body['kid']);
    expect(recorded).not.toContain('whsk_');
  });
});

const pathOf = ({ webhookId }: NewWebhook): string => `/api/webhooks/${webhookId}`;

type Asked = [userId: string, method: string, path: string, json: object, headers?: object];

const many = (asked: (n: number) => Asked) =>
  Promise.all(
    Array.from({ length: MANY }, async (_, n) => {
      const [userId, method, path, json, headers = {}] = asked(n);
      const replica = n % 2 === 0 ? world().dispatcher : second;
      return replica.call(userId, method, path, { json, headers: { ...headers } });
    }),
  );

function statusesOf(answers: readonly { status: number }[]): Readonly<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
}
