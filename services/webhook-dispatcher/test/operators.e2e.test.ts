import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { useWorld } from './world.js';

const world = useWorld(() => ({ WEBHOOK_RETRY_SCHEDULE_S: '1,3600' }));

const AT = '/api/ops/webhook-dispatcher';
const OPERATOR = randomUUID();
const MINUTE_S = 60;
/** Texts that nobody who operates the service may see. */
const SECRETS = ['for her eyes only', '/hooks/'];

const READS = ['health', 'consumers', 'dead-letters', 'projections', 'keys', 'failing-webhooks'];
const CHANGES = ['dead-letters/redrive', 'projections/webhooks/rebuild', 'keys/rotate'];

describe("the operators' routes", () => {
  it('are closed to users and to operators without a second factor, and change nothing without one of a moment ago', async () => {
    const user = world().issuer.userToken(randomUUID());
    const without = world().issuer.userToken(OPERATOR, { claims: { role: 'operator' } });
    const longAgo = tokenOf(16 * MINUTE_S);
    const all = [...READS.map((path) => ['GET', path]), ...CHANGES.map((path) => ['POST', path])];
    for (const [method = '', path = ''] of all) {
      expect([path, await codeOf(user, method, path)]).toEqual([path, 'operator_required']);
      expect([path, await codeOf(undefined, method, path)]).toEqual([path, 'unauthenticated']);
      expect([path, await codeOf(without, method, path)]).toEqual([path, 'second_factor_needed']);
    }
    expect((await callWith(longAgo, 'GET', 'health')).status).toBe(200);
    for (const path of CHANGES) {
      const code = 'insufficient_user_authentication';
      expect([path, await codeOf(longAgo, 'POST', path)]).toEqual([path, code]);
    }
  });

  it('show which webhooks fail, by ids and numbers', async () => {
    const { receiver, newWebhook, publish } = world();
    receiver.answer({ status: 500, body: 'for her eyes only' });
    const { userId, webhookId } = await newWebhook({ secret: 'for her eyes only' });
    await publish(userId, { data: { note: 'for her eyes only' } });
    await eventually(async () => {
      const { body } = await ask('GET', 'failing-webhooks');
      expect(body).toMatchObject({
        totals: { failing: 1, retrying: 1, resting: 0 },
        items: [
          {
            webhook_id: webhookId,
            user_id: userId,
            reason: expect.stringMatching(/^[a-z0-9_]+$/),
            host: new URL(receiver.url).host,
            waiting: 1,
            probe_at: null,
          },
        ],
      });
    });
  });

  it('hand a record in again that could not be handled, and say why it failed once more', async () => {
    const userId = randomUUID();
    const headers = { ce_type: 'inbox.exploded' };
    await world().publish(userId, { headers, data: { note: 'for her eyes only' } });
    const id = await eventually(async () => {
      const { body } = await ask('GET', 'dead-letters');
      const [letter] = body['items'] as { id: string; reason: string }[];
      expect(letter).toMatchObject({ reason: 'ce_type_unknown', state: 'open', redrives: 0 });
      return letter?.id ?? '';
    });
    expect(await ask('POST', 'dead-letters/redrive', { ids: [id] })).toMatchObject({
      status: 200,
      body: { outcomes: [{ id, outcome: 'failed', reason: 'ce_type_unknown' }] },
    });
    expect((await ask('GET', 'dead-letters')).body).toMatchObject({ items: [{ id, redrives: 1 }] });
    expect(await ask('POST', 'dead-letters/redrive', { ids: [] })).toMatchObject({ status: 400 });
  });

  it('build a read model anew, and seal with the newest key', async () => {
    const version = async () => {
      const { body } = await ask('GET', 'projections');
      const items = body['items'] as { name: string; version: number; rebuild: unknown }[];
      return items.find(({ name }) => name === 'webhooks');
    };
    expect(await version()).toMatchObject({ version: 1, rebuild: null });
    expect((await ask('POST', 'projections/webhooks/rebuild')).status).toBe(202);
    await eventually(async () =>
      expect(await version()).toMatchObject({ version: 2, rebuild: null }),
    );
    expect(await ask('POST', 'projections/nothing/rebuild')).toMatchObject({
      status: 404,
      body: { code: 'projection_not_found' },
    });
    expect((await ask('POST', 'keys/rotate')).status).toBe(202);
    expect((await ask('GET', 'keys')).body).toMatchObject({
      items: [{ key_id: 'k1', in_ring: true, newest: true, uses: expect.any(Array) }],
    });
  });

  it('leave a record of everything that was looked at and done', async () => {
    await eventually(async () => {
      const { body } = await ask('GET', `audit?actor=${OPERATOR}`);
      const items = body['items'] as { method: string; outcome: string }[];
      const outcomes = (name: string) =>
        items.filter(({ method }) => method === name).map(({ outcome }) => outcome);
      expect(outcomes('RedriveDeadLetters')).toEqual(['completed']);
      expect(outcomes('RotateKeys')).toEqual(['completed']);
      expect(outcomes('RebuildProjection')).toEqual(['failed', 'completed']);
      expect(outcomes('ListFailingWebhooks')).toContain('read');
    });
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

  it('refuse also when that cannot be recorded', async () => {
    const { database, issuer } = world();
    const token = issuer.userToken(randomUUID());
    await database.pool.query('alter table streams rename to streams_away');
    try {
      expect(await codeOf(token, 'GET', 'health')).toBe('operator_required');
    } finally {
      await database.pool.query('alter table streams_away rename to streams');
    }
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
    ...(method === 'POST' && { json }),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

const codeOf = async (token: string | undefined, method: string, path: string) =>
  (await callWith(token, method, path)).body['code'];
