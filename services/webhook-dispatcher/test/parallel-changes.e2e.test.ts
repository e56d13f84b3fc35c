import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MERGE_PATCH } from '@junction/service/http';
import type { StartedDispatcher } from './started-dispatcher.js';
import { useWorld } from './world.js';

// The pool is as small as the one that the production overlay gives a replica.
const world = useWorld(() => ({ DATABASE_POOL_MAX: '7' }));
const SETUP_MS = 90_000;
const MANY = 50;
let second: StartedDispatcher;

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

  it('are all made to the members of one webhook by merge patches', async () => {
    const { dispatcher, newWebhook } = world();
    const { userId, webhookId } = await newWebhook();
    const webhook = `/api/webhooks/${webhookId}`;
    const answers = await many((n) => [
      userId,
      'PATCH',
      webhook,
      { metadata: { [`name${n % 20}`]: 'text' } },
      { 'content-type': MERGE_PATCH },
    ]);
    expect(statusesOf(answers)).toEqual({ 200: MANY });
    const { body } = await dispatcher.call(userId, 'GET', webhook);
    expect(Object.keys(body['metadata'] as object)).toHaveLength(20);
  });

  it('make one webhook when they configure one url', async () => {
    const { receiver, newUser } = world();
    const json = { url: `${receiver.url}/same`, events: ['draft.created'], enabled: true };
    const userId = newUser();
    const answers = await many((n) => [
      userId,
      'POST',
      '/api/webhooks/configure',
      { ...json, description: `${n}` },
    ]);
    expect(statusesOf(answers)).toEqual({ 200: MANY - 1, 201: 1 });
    expect(new Set(answers.map(({ body }) => body['webhook_id'])).size).toBe(1);
  });

  it.each([
    ['rotations', 'POST', '/rotate-secret', 200],
    ['deletions', 'DELETE', '', 204],
  ])('are all made when they are %s', async (_, method, path, status) => {
    const { userId, webhookId } = await world().newWebhook();
    const answers = await many(() => [userId, method, `/api/webhooks/${webhookId}${path}`, {}]);
    expect(statusesOf(answers)).toEqual({ [status]: MANY });
  });
});

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
