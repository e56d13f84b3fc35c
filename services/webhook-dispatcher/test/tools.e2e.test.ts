import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventsIn, eventually, type SentEvent } from '@junction/testing';
import { type ToolRequest, toolOf } from './tool.js';
import { useWorld } from './world.js';

const world = useWorld();
const tool = async (...request: Parameters<ReturnType<typeof toolOf>>) =>
  toolOf(world())(...request);

const PEOPLE = '/api/ops/webhook-dispatcher';
const INTERNAL = `/internal${PEOPLE}`;
const AS_EVENTS = { headers: { accept: 'text/event-stream' } };

/** A route of each kind: for people too, for service accounts alone, and changes. */
const READS = ['health', 'dead-letters', 'streams', 'doctor', 'backlog', 'shards'];
const CHANGES = ['keys/rotate', 'consumers/reset-all', 'dead-letters/drop', 'webhook-keys/rotate'];

describe('the routes of service accounts', () => {
  it('let in no token of a user, of another service or without the scope', async () => {
    const { dispatcher, issuer } = world();
    const claims = { role: 'operator', mfa_at: Math.floor(Date.now() / 1_000) };
    const refused = {
      user: issuer.userToken(randomUUID(), { claims }),
      'another service': issuer.serviceToken({ audience: 'auth', scope: 'ops:read ops:write' }),
      'another scope': issuer.serviceToken({ scope: 'events:publish' }),
    };
    const all = [
      ...READS.map((path) => ['GET', path, 'ops:write'] as const),
      ...CHANGES.map((path) => ['POST', path, 'ops:read'] as const),
    ];
    for (const [method, path, wrong] of all) {
      for (const [name, token] of Object.entries(refused)) {
        const headers = { authorization: `Bearer ${token}` };
        const { body } = await dispatcher.call(undefined, method, `${INTERNAL}/${path}`, {
          headers,
        });
        const code = name === 'another scope' ? 'scope_missing' : 'service_token_refused';
        expect([name, path, body['code']]).toEqual([name, path, code]);
      }
      const { status, body } = await tool(method, path, { scope: wrong });
      expect([path, status, body['code']]).toEqual([path, 403, 'scope_missing']);
    }
  });

  it('are not there for people, whose door lets in no service', async () => {
    const { dispatcher, issuer } = world();
    const claims = { role: 'operator', mfa_at: Math.floor(Date.now() / 1_000) };
    const operator = issuer.userToken(randomUUID(), { claims });
    const service = issuer.serviceToken({ scope: 'ops:read ops:write' });
    const ask = async (path: string, token: string) =>
      dispatcher.call(undefined, 'GET', `${PEOPLE}/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
    for (const path of ['streams', 'doctor', 'backlog', 'shards', 'circuits', 'failing-users']) {
      const { status, body } = await ask(path, operator);
      expect([path, status, body['code']]).toEqual([path, 404, 'no_such_route']);
    }
    expect(await ask('health', operator)).toMatchObject({ status: 200 });
    expect(await ask('health', service)).toMatchObject({ body: { code: 'invalid_token' } });
  });

  it('record each call but that for health, and what was refused', async () => {
    expect((await tool('GET', 'health')).body).toEqual({ ready: true, failing: [] });
    expect((await tool('GET', 'shards')).status).toBe(200);
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
            method: `GET ${INTERNAL}/shards`,
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
  it('are shown whole to a service account alone, found by their user, and given up', async () => {
    const userId = randomUUID();
    await world().publish(userId, { headers: { ce_type: 'inbox.exploded' }, data: { n: 1 } });
    const found = async () => {
      const { body } = await tool('GET', `dead-letters?user_id=${userId}`);
      return body['items'] as Record<string, string>[];
    };
    const [letter = {}] = await eventually(async () => {
      const items = await found();
      expect(items).toMatchObject([
        { user_id: userId, key: userId, reason: 'ce_type_unknown', note: null },
      ]);
      return items;
    });
    const path = `dead-letters/${letter['id']}`;
    expect((await tool('GET', path)).body).not.toHaveProperty('record');
    const { body } = await tool('GET', `${path}?with_record=true`);
    expect(body).toMatchObject({ record: { headers: { ce_type: 'inbox.exploded' } } });
    const { payload } = body['record'] as { payload: string };
    expect(Buffer.from(payload, 'base64')).toHaveLength(Number(body['payload_bytes']));

    const drop = (json: object) => tool('POST', 'dead-letters/drop', { json });
    const note = 'of a broken producer';
    expect(await drop({ note })).toMatchObject({ status: 400 });
    expect(await drop({ note, filter: {} })).toMatchObject({ status: 400 });
    expect((await drop({ note, filter: { user_id: userId } })).body).toEqual({
      outcomes: [{ id: letter['id'], outcome: 'dropped', reason: null, reason_text: null }],
      more: false,
    });
    expect(await found()).toEqual([]);
  });

  it('are filtered by no operator in a browser', async () => {
    const claims = { role: 'operator', mfa_at: Math.floor(Date.now() / 1_000) };
    const token = world().issuer.userToken(randomUUID(), { claims });
    const redriven = await world().dispatcher.call(
      undefined,
      'POST',
      `${PEOPLE}/dead-letters/redrive`,
      {
        json: { filter: { reason: 'ce_type_unknown' } },
        headers: { authorization: `Bearer ${token}` },
      },
    );
    expect(redriven).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});

describe('long work', () => {
  const asked = (path: string, request: ToolRequest = AS_EVENTS) => tool('POST', path, request);

  it('is followed to its end as events, and goes on alone without them', async () => {
    const { body } = await asked('projections/webhooks/rebuild');
    const events = body['events'] as SentEvent[];
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['progress']));
    expect(events.at(-1)?.data).toMatchObject({ phase: 'done', version: 2 });
    expect(await asked('projections/webhooks/rebuild', {})).toMatchObject({ status: 202 });
    await eventually(async () =>
      expect((await tool('GET', 'projections')).body).toMatchObject({
        items: [{ name: 'webhooks', version: 3, rebuild: null }],
      }),
    );
  });

  it('that cannot begin is refused with a status', async () => {
    expect(await asked('projections/nothing/rebuild')).toMatchObject({
      status: 404,
      body: { code: 'projection_not_found' },
    });
    expect(await tool('DELETE', 'projections/webhooks/rebuild')).toMatchObject({
      status: 409,
      body: { code: 'no_rebuild' },
    });
  });

  it('that reads every event ends with a verdict', async () => {
    const { headers, body } = await tool('GET', 'verification');
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(body['events']).toMatchObject([{ type: 'verdict', data: { problems: [] } }]);
  });
});

describe('following events', () => {
  it('begins with a cursor, and goes on after the last id', async () => {
    const { webhookId } = await world().newWebhook();
    const streamId = `webhook-${webhookId}`;
    const first = await followed('from=beginning&category=webhook', (text) =>
      text.includes(streamId),
    );
    expect(first[0]).toMatchObject({ type: 'opened', data: {} });
    const last = first.at(-1);
    expect(last).toMatchObject({
      type: 'event',
      id: last?.data['cursor'],
      data: { stream_id: streamId, type: 'webhook.configured', data: { url: '[sealed]' } },
    });
    const other = await world().newWebhook();
    const [opened, next] = await followed(`cursor=${last?.id}&category=webhook`, (text) =>
      text.includes(other.webhookId),
    );
    expect([opened?.id, next?.data['stream_id']]).toEqual([last?.id, `webhook-${other.webhookId}`]);
    expect(await tool('GET', 'events/stream?cursor=1')).toMatchObject({
      status: 400,
      body: { code: 'cursor_invalid' },
    });
  });
});

/** The messages up to the one that is waited for; then the reader hangs up. */
async function followed(query: string, isLast: (text: string) => boolean) {
  const { dispatcher, issuer } = world();
  const authorization = `Bearer ${issuer.serviceToken({ scope: 'ops:read' })}`;
  const hangUp = new AbortController();
  const { body } = await fetch(`${dispatcher.url}${INTERNAL}/events/stream?${query}`, {
    headers: { authorization },
    signal: hangUp.signal,
  });
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (isLast(text) && text.endsWith('\n\n')) break;
  }
  hangUp.abort();
  return eventsIn(text);
}
