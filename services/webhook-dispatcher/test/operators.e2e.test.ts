import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { build } from '@junction/telemetry';
import { eventually } from '@junction/testing';
import { idsOf } from './received.js';
import { toolOf } from './tool.js';
import { useWorld } from './world.js';

const world = useWorld(() => ({ WEBHOOK_RETRY_SCHEDULE_S: '1,3600' }));

const tool = async (...request: Parameters<ReturnType<typeof toolOf>>) =>
  toolOf(world())(...request);

const AT = '/api/ops/webhook-dispatcher';
const OPERATOR = randomUUID();
/** Texts that nobody who operates the service may see. */
const SECRETS = ['for her eyes only', '/hooks/'];

describe("the operators' routes", () => {
  it('change nothing without a second factor of the last quarter of an hour', async () => {
    const longAgo = tokenOf(16 * 60);
    expect((await callWith(longAgo, 'GET', 'health')).status).toBe(200);
    for (const [method, path] of [
      ['POST', 'dead-letters/redrive'],
      ['POST', 'projections/webhooks/rebuild'],
      ['POST', 'keys/rotate'],
      ['PATCH', `webhooks/wh_${OPERATOR}`],
    ] as const) {
      const { body } = await callWith(longAgo, method, path);
      expect([path, body['code']]).toEqual([path, 'insufficient_user_authentication']);
    }
  });

  it('leave a record of what was refused, and fill no storage with it', async () => {
    const stranger = randomUUID();
    const token = world().issuer.userToken(stranger);
    await Promise.all(Array.from({ length: 50 }, () => callWith(token, 'GET', 'failing-webhooks')));
    const recorded = async () => {
      const { body } = await ask('GET', `audit?actor=${stranger}`);
      return body['items'];
    };
    await eventually(async () => expect(await recorded()).toHaveLength(1));
    expect(await recorded()).toMatchObject([
      {
        actor: { kind: 'user', id: stranger },
        method: `GET ${AT}/failing-webhooks`,
        outcome: 'refused',
        code: 'operator_required',
        attempts: 1,
      },
    ]);
  });
});

describe('a webhook that an operator disables', () => {
  it('gets nothing until an operator enables it, and each act is in the audit', async () => {
    const { dispatcher, publish, receiver } = world();
    const userId = randomUUID();
    const url = `${receiver.url}/operated/${userId}`;
    const configured = await dispatcher.call(userId, 'POST', '/api/webhooks/configure', {
      json: { url, events: ['draft.created'], enabled: true },
    });
    const webhookId = String(configured.body['webhook_id']);
    const path = `/api/webhooks/${webhookId}`;
    const operate = async (enabled: boolean) => ask('PATCH', `webhooks/${webhookId}`, { enabled });
    const about = { webhook_id: webhookId, user_id: userId };

    expect(await operate(false)).toMatchObject({
      status: 200,
      body: { ...about, status: 'disabled', disabled_reason: 'operator' },
    });
    expect((await dispatcher.call(userId, 'GET', path)).body).toMatchObject({
      enabled: false,
      disabled_reason: 'operator',
    });
    for (const [method, to, json] of [
      ['PATCH', path, { enabled: true }],
      ['POST', '/api/webhooks/configure', { url, events: ['draft.created'], enabled: true }],
    ] as const) {
      const refused = await dispatcher.call(userId, method, to, { json });
      expect(refused).toMatchObject({
        status: 409,
        body: { code: 'webhook_disabled_by_operator' },
      });
    }
    await publish(userId);
    const held = `${path}/deliveries?status=held`;
    await eventually(async () => {
      const { body } = await dispatcher.call(userId, 'GET', held);
      expect(body['items']).toMatchObject([{ attempt_count: 0 }]);
    });
    expect(await operate(true)).toMatchObject({
      body: { ...about, status: 'active', disabled_reason: null },
    });
    expect(await ask('PATCH', `webhooks/wh_${randomUUID()}`, { enabled: false })).toMatchObject({
      status: 404,
      body: { code: 'webhook_not_found' },
    });
    const { body } = await ask('GET', `audit?actor=${OPERATOR}&limit=3`);
    expect(body['items']).toMatchObject([
      { method: 'ListAccesses' },
      { method: 'OperateWebhook', outcome: 'failed' },
      { method: 'OperateWebhook', outcome: 'completed', arguments: { webhookId, enabled: true } },
    ]);
  });
});

describe('a host or a user that an operator pauses', () => {
  it.each(['host', 'user_id'])(
    'waits, with all that comes, and goes on in order: %s',
    async (kind) => {
      const { dispatcher, publish, receiver } = world();
      const userId = randomUUID();
      const pathOfHook = `/paused/${userId}`;
      const configured = await dispatcher.call(userId, 'POST', '/api/webhooks/configure', {
        json: {
          url: receiver.url + pathOfHook,
          events: ['draft.created'],
          enabled: true,
          ordered: true,
        },
      });
      const path = `/api/webhooks/${String(configured.body['webhook_id'])}`;
      const read = async (of = '') => (await dispatcher.call(userId, 'GET', path + of)).body;
      const what = kind === 'host' ? new URL(receiver.url).host : userId;
      const pause = async (paused: boolean) => ask('POST', 'pauses', { [kind]: what, paused });
      const sent = () => receiver.requests.filter((request) => request.path === pathOfHook);

      expect((await pause(true)).body['webhooks']).toBeGreaterThan(0);
      expect((await pause(true)).body).toEqual({ webhooks: 0 });
      expect((await ask('GET', 'pauses')).body['items']).toMatchObject([{ [kind]: what }]);
      expect(await read()).toMatchObject({
        status: 'paused',
        paused_by: 'operator',
        enabled: true,
      });
      await dispatcher.call(userId, 'PATCH', path, { json: { paused: false } });
      expect(await read()).toMatchObject({ status: 'paused', paused_by: 'operator' });
      const ids: string[] = [];
      for (let n = 0; n < 3; n++) ids.push(await publish(userId));
      const waiting = { status: 'pending', attempt_count: 0, next_attempt_at: null };
      await eventually(async () =>
        expect((await read('/deliveries'))['items']).toMatchObject([waiting, waiting, waiting]),
      );
      expect(sent()).toEqual([]);

      await pause(false);
      expect(await read()).not.toHaveProperty('paused_by');
      await eventually(() => expect(sent()).toHaveLength(3));
      expect(idsOf(sent())).toEqual(ids);
    },
  );
});

describe('the routes of service accounts', () => {
  it('are not there for people, whose door lets in no service', async () => {
    const { dispatcher, issuer } = world();
    const claims = { role: 'operator', mfa_at: Math.floor(Date.now() / 1_000) };
    const operator = issuer.userToken(randomUUID(), { claims });
    const service = issuer.serviceToken('webhook-dispatcher', 'ops:read ops:write');
    const ask = async (path: string, token: string) =>
      dispatcher.call(undefined, 'GET', `${AT}/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
    for (const path of ['streams', 'doctor', 'backlog', 'shards', 'circuits', 'failing-users']) {
      const { status, body } = await ask(path, operator);
      expect([path, status, body['code']]).toEqual([path, 404, 'no_such_route']);
    }
    const [answered, refused] = [await ask('health', operator), await ask('health', service)];
    expect(answered).toMatchObject({ status: 200 });
    expect(refused).toMatchObject({ body: { code: 'invalid_token' } });
    const { version, commit } = build();
    expect(answered.headers.get('junction-version')).toBe(`${version} (${commit})`);
    expect(refused.headers.get('junction-version')).toBeNull();
  });

  it('record each call but that for health, and what was refused', async () => {
    expect((await tool('GET', 'health')).body).toEqual({ ready: true, failing: [] });
    expect((await tool('GET', 'shards')).status).toBe(200);
    expect((await tool('GET', 'shards', { scope: 'ops:write' })).status).toBe(403);
    const recorded = async () => (await tool('GET', 'audit?actor=cli_1')).body['items'];
    await eventually(async () =>
      expect(await recorded()).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            actor: { kind: 'service', id: 'cli_1' },
            method: 'ListShards',
            outcome: 'read',
            stream_id: expect.stringMatching(/^ops-op_/),
          }),
          expect.objectContaining({
            method: `GET /internal${AT}/shards`,
            outcome: 'refused',
            code: 'scope_missing',
          }),
        ]),
      ),
    );
    expect(JSON.stringify(await recorded())).not.toContain('GetHealth');
  });
});

describe('records that could not be handled', () => {
  it('are filtered by no operator in a browser', async () => {
    const claims = { role: 'operator', mfa_at: Math.floor(Date.now() / 1_000) };
    const token = world().issuer.userToken(randomUUID(), { claims });
    const redriven = await world().dispatcher.call(
      undefined,
      'POST',
      `${AT}/dead-letters/redrive`,
      {
        json: { filter: { reason: 'ce_type_unknown' } },
        headers: { authorization: `Bearer ${token}` },
      },
    );
    expect(redriven).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});

/** An operator who has shown a second factor so long ago. */
const tokenOf = (agoS = 0): string => {
  const mfa_at = Math.floor(Date.now() / 1_000) - agoS;
  return world().issuer.userToken(OPERATOR, { claims: { role: 'operator', mfa_at } });
};

/** Every answer is looked through: operators see how the service is, and never what it holds. */
async function ask(method: string, path: string, json: object = {}) {
  const answer = await callWith(tokenOf(), method, path, json);
  const text = JSON.stringify(answer.body);
  for (const secret of SECRETS) expect(text).not.toContain(secret);
  return answer;
}

const callWith = async (
  token: string | undefined,
  method: string,
  path: string,
  json: object = {},
) =>
  world().dispatcher.call(undefined, method, `${AT}/${path}`, {
    ...(method !== 'GET' && { json }),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
