import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { requestsAt } from './received.js';
import { useWorld } from './world.js';

const world = useWorld();

describe('a webhook that names wildcards', () => {
  it('gets the kinds they cover and no others, and is shown as it was made', async () => {
    const { newWebhook, dispatcher, publish, receiver } = world();
    const { call } = dispatcher;
    const all = await newWebhook({ events: ['draft.created', '*'] });
    const { userId } = all;
    const path = `${all.path}/groups`;
    const json = { url: receiver.url + path, events: ['webhook.*', 'meeting.*'], enabled: true };
    const { body: groups } = await call(userId, 'POST', '/api/webhooks/configure', { json });
    expect(groups['events']).toEqual(['meeting.*', 'webhook.*']);
    expect((await call(userId, 'GET', `/api/webhooks/${all.webhookId}`)).body).toMatchObject({
      events: ['*'],
    });

    const drafted = await publish(userId);
    const joined = await publish(userId, { headers: { ce_type: 'meeting.joined' } });
    await receiver.waitFor((one) => one.path === path && one.headers['webhook-id'] === joined);
    await eventually(async () => expect(requestsAt(receiver, all.path)).toHaveLength(2));
    expect(requestsAt(receiver, path)).toHaveLength(1);
    const event = await call(userId, 'GET', `/api/events/${drafted}`);
    expect(event.body['webhooks']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ webhook_id: all.webhookId, verdict: 'pending' }),
        expect.objectContaining({
          webhook_id: groups['webhook_id'],
          verdict: 'kind_not_selected',
        }),
      ]),
    );
  });

  it('gets a test event of what it covers, and replays it', async () => {
    const { newWebhook, dispatcher, receiver } = world();
    const { userId, webhookId, path } = await newWebhook({ events: ['meeting.*'] });
    const webhook = `/api/webhooks/${webhookId}`;
    const from = new Date(Date.now() - 60_000);
    const json = { kind: 'meeting.joined' };
    const { status } = await dispatcher.call(userId, 'POST', `${webhook}/test`, { json });
    expect(status).toBe(202);
    await receiver.waitFor((one) => one.path === path && one.body.includes('"meeting.joined"'));
    const span = { from, to: new Date(Date.now() + 60_000), outcomes: ['succeeded'] };
    await eventually(async () => {
      const counted = await dispatcher.call(userId, 'POST', `${webhook}/replay`, { json: span });
      expect(counted.body).toMatchObject({ count: 1 });
    });
  });

  it('names some that there are', async () => {
    const { dispatcher, newUser, receiver } = world();
    const json = { url: `${receiver.url}/none`, events: ['meeting.*', 'party.*'], enabled: true };
    const refused = await dispatcher.call(newUser(), 'POST', '/api/webhooks/configure', { json });
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'events.1', code: 'unknown_kind' }] },
    });
  });
});
