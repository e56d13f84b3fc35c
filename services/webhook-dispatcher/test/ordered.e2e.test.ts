import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { bodiesOf, requestsAt } from './received.js';
import { webhookOf } from './shares.js';
import type { StartedDispatcher } from './started-dispatcher.js';
import { useWorld } from './world.js';

const world = useWorld();
const SETUP_MS = 90_000;
/** A change is in force everywhere within a second; the requests take the rest. */
const SOON = { deadlineMs: 1_500 };
let second: StartedDispatcher;

beforeAll(async () => {
  second = await world().startAnother();
}, SETUP_MS);
afterAll(() => second?.end('SIGKILL'));

describe('an ordered webhook whose oldest delivery waits for an hour', () => {
  it.each([
    ['a retry', 'the replica that sends'],
    ['a retry', 'another replica'],
    ['pausing and resuming', 'another replica'],
  ])('gets all in their order within a second after %s through %s', async (what, through) => {
    const { dispatcher, receiver, publish, database, newWebhook } = world();
    const sending = through === 'another replica' ? second : dispatcher;
    const { userId, webhookId, path } = await webhookOf(sending, database, () =>
      newWebhook({ ordered: true, retry_schedule: [3_600] }),
    );
    const webhook = `/api/webhooks/${webhookId}`;
    let isDown = true;
    receiver.answer((request) => (request.path === path && isDown ? { status: 500 } : {}));
    for (let n = 1; n <= 3; n++) await publish(userId, { data: { n } });
    const list = async (status: string) => {
      const url = `${webhook}/deliveries?status=${status}`;
      return (await dispatcher.call(userId, 'GET', url)).body['items'] as {
        delivery_id: string;
      }[];
    };
    await eventually(async () => {
      expect(await list('retrying')).toHaveLength(1);
      expect(await list('pending')).toHaveLength(2);
    });

    isDown = false;
    const [head] = await list('retrying');
    const asked =
      what === 'a retry'
        ? [['POST', `${webhook}/deliveries/${head?.delivery_id}/redeliver`, {}] as const]
        : [true, false].map((paused) => ['PATCH', webhook, { paused }] as const);
    for (const [method, url, json] of asked) {
      const { status } = await dispatcher.call(userId, method, url, { json });
      expect([200, 202]).toContain(status);
    }

    await eventually(() => expect(requestsAt(receiver, path)).toHaveLength(4), SOON);
    const bodies = [...bodiesOf(requestsAt(receiver, path))];
    expect(bodies.map((body) => /"n":(\d)/.exec(body)?.[1])).toEqual(['1', '2', '3']);
    receiver.answer({});
  });
});
