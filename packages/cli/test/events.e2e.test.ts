import { randomUUID } from 'node:crypto';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpsServiceService } from '@junction/contracts';
import { apiAt, type Call, type Product, startProduct } from '@junction/demo';
import { eventually } from '@junction/testing';
import { junction, startJunction, values } from './junction.js';

const MINUTE = 60_000;
const ADDRESS = `${randomUUID()}@example.com`;
const PASSWORD = `pass ${randomUUID()}`;
const HOOK = `http://127.0.0.1:9/${randomUUID()}`;

let product: Product;
let call: Call;
let user: string;
let token: string;
let webhook: string;
let webhookId: string;

beforeAll(async () => {
  product = await startProduct(process.env);
  const api = apiAt(product.endpoints.gateway);
  const json = { email: ADDRESS, password: PASSWORD };
  const registered = await api('POST', '/api/auth/register', { json });
  user = `user-${(registered.body as { user: { id: string } }).user.id}`;
  const login = await api('POST', '/api/auth/login', { json });
  token = (login.body as { access_token: string }).access_token;
  call = (method, path, options) => api(method, path, { token, ...options });
  const configured = await call('POST', '/api/webhooks/configure', {
    json: { url: HOOK, events: ['draft.created'], enabled: true },
  });
  webhookId = (configured.body as { webhook_id: string }).webhook_id;
  webhook = `webhook-${webhookId}`;
  await call('PATCH', `/api/webhooks/${webhookId}`, { json: { paused: true } });
}, 4 * MINUTE);

afterAll(async () => {
  expect(await product?.stop()).toBe(0);
}, MINUTE);

describe('junction events', () => {
  it('lists a stream, for people and for machines', async () => {
    const people = await junction(product, ['events', 'list', '-s', 'webhooks', webhook]);
    expect(people).toMatchObject({ code: 0, err: '' });
    expect(people.out).toMatch(
      /VERSION {2}TYPE .*\n +1 {2}webhook\.configured .*\n +2 {2}webhook\.updated /,
    );

    const machines = await junction(product, [
      'events',
      'list',
      '-s',
      'webhooks',
      webhook,
      '--json',
      '--after',
      '1',
    ]);
    expect(values(machines)).toEqual([
      expect.objectContaining({ stream_id: webhook, version: 2, type: 'webhook.updated' }),
    ]);
  });

  it('shows an event by its place and by its id, sealed fields as sealed', async () => {
    const byPlace = await junction(product, ['events', 'show', '-s', 'auth', `${user}@1`]);
    expect(byPlace.code).toBe(0);
    expect(byPlace.out).toContain('"email": "[sealed]"');
    expect(byPlace.out).not.toContain(ADDRESS);

    const place = ['events', 'show', '-s', 'webhooks', webhook, '1', '--json'];
    const [event] = values(await junction(product, place));
    expect(event).toMatchObject({ type: 'webhook.configured', data: { url: '[sealed]' } });
    const id = ['events', 'show', '-s', 'webhooks', String(event?.['event_id']), '--json'];
    expect(values(await junction(product, id))).toEqual([event]);
    expect(values(await junction(product, [...id, '--stream', webhook]))).toEqual([event]);
  });

  it('gives a state as of now, of a version and of a time', async () => {
    const state = async (...asOf: string[]) => {
      const args = ['events', 'state', '-s', 'webhooks', webhook, '--json', ...asOf];
      return values(await junction(product, args))[0];
    };
    const [first] = values(
      await junction(product, ['events', 'show', '-s', 'webhooks', webhook, '1', '--json']),
    );
    const configured = { state: 'live', url: '[sealed]', paused: false };
    expect(await state()).toMatchObject({ version: 2, state: { paused: true, url: '[sealed]' } });
    expect(await state('--version', '1')).toMatchObject({ version: 1, state: configured });
    expect(await state('--at', String(first?.['recorded_at']))).toMatchObject({
      version: 1,
      recorded_at: first?.['recorded_at'],
      state: configured,
    });
    expect(await state('--at', '2020-01-01T00:00:00+01:00')).toMatchObject({
      version: 0,
      state: { state: 'none' },
    });
  });

  it('follows live: an event made meanwhile is seen', async () => {
    const follower = startJunction(product, [
      'events',
      'follow',
      '-s',
      'webhooks',
      '-c',
      'webhook',
      '--json',
      '-n',
      '1',
    ]);
    await eventually(() => expect(follower.err()).toContain('Following.'));
    await call('PATCH', `/api/webhooks/${webhookId}`, { json: { paused: false } });
    const ended = await follower.ended;
    expect(ended.code).toBe(0);
    expect(values(ended)).toEqual([
      expect.objectContaining({ stream_id: webhook, version: 3, type: 'webhook.updated' }),
    ]);
  });

  it('goes on following where it was when the service is killed and comes back', async () => {
    const follower = startJunction(product, [
      'events',
      'follow',
      '-s',
      'webhooks',
      '-c',
      'webhook',
      '--beginning',
      '--json',
      '-n',
      '4',
    ]);
    await eventually(() => expect(values({ out: follower.out() })).toHaveLength(3));
    const pid = product.pids()['webhook-dispatcher'] ?? 0;
    process.kill(pid, 'SIGKILL');
    await eventually(() => expect(follower.err()).toContain('The connection was lost.'));
    await eventually(
      async () => {
        const json = { paused: true };
        const { status } = await call('PATCH', `/api/webhooks/${webhookId}`, { json });
        expect(status).toBe(200);
      },
      { deadlineMs: MINUTE, pollMs: 200 },
    );
    const ended = await follower.ended;
    expect(values(ended).map(({ version }) => version)).toEqual([1, 2, 3, 4]);
    expect(ended.code).toBe(0);
  });

  it('ends well at Ctrl-C', async () => {
    const follower = startJunction(product, ['events', 'follow', '-s', 'auth']);
    await eventually(() => expect(follower.err()).toContain('Following.'));
    follower.interrupt();
    expect(await follower.ended).toMatchObject({ code: 0, out: '' });
  });

  it('leaves an event of each call: who asked for what', async () => {
    const listed = await junction(product, ['events', 'list', '-s', 'auth', user]);
    expect(listed.code).toBe(0);
    const args = [
      'events',
      'follow',
      '-s',
      'auth',
      '-c',
      'ops',
      '--beginning',
      '--json',
      '-n',
      '1',
    ];
    const [first] = values(await junction(product, args));
    expect(first).toMatchObject({
      type: 'ops.read',
      metadata: { actor: 'service cli_operator' },
      data: { clientId: 'cli_operator', arguments: expect.any(Object) },
    });
    const streamId = String(first?.['stream_id']);
    const state = await junction(product, ['events', 'state', '-s', 'auth', streamId, '--json']);
    expect(values(state)[0]).toMatchObject({ state: { status: 'read', clientId: 'cli_operator' } });
    const streams = await junction(product, ['events', 'streams', '-s', 'auth', 'ops-', '--json']);
    expect(values(streams)).toContainEqual({ stream_id: streamId, version: 1 });
  });
});

describe('junction', () => {
  it.each([
    [['events', 'list', '-s', 'webhooks', 'webhook-nope'], 1, 'There is no stream webhook-nope'],
    [['events', 'list', '-s', 'auth', ADDRESS], 2, 'Letters, digits'],
  ])('says what is wrong with %j', async (args, code, words) => {
    const ended = await junction(product, args);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toContain(words);
  });

  it('says when a service account lacks the scope, or is unknown', async () => {
    const development = { JUNCTION_ENV: 'development' };
    const args = ['events', 'streams', '-s', 'integrations'];
    const worker = { ...asAccount('worker'), ...development };
    expect(await junction(undefined, args, worker)).toMatchObject({
      code: 1,
      err: expect.stringContaining('it lacks ops:read'),
    });
    const stranger = { ...worker, JUNCTION_CLIENT_SECRET: 'something else' };
    expect(await junction(undefined, args, stranger)).toMatchObject({
      code: 1,
      err: expect.stringContaining('its secret is another one'),
    });
    const nowhere = {
      ...asAccount('operator'),
      ...development,
      INTEGRATIONS_GRPC_ADDRESS: '127.0.0.1:9',
    };
    expect(await junction(undefined, args, nowhere)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /integrations at 127\.0\.0\.1:9 cannot be reached.*\(UNAVAILABLE\)/,
      ),
    });
  });
});

describe("a service's OpsService", () => {
  it("refuses a user's token", async () => {
    await expect(listStreams(token)).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  });

  it('refuses a service token without ops:read', async () => {
    const wrong = await serviceToken('worker', 'tokens:read');
    await expect(listStreams(wrong)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    const writing = await serviceToken('operator', 'ops:write');
    await expect(listStreams(writing)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    const reading = await serviceToken('operator', 'ops:read');
    await expect(listStreams(reading)).resolves.toMatchObject({ more: expect.any(Boolean) });
  });
});

/** The environment of somebody who asks without a checkout. */
const asAccount = (account: 'operator' | 'worker') => ({
  JUNCTION_CLIENT_ID: product.endpoints[account].client_id,
  JUNCTION_CLIENT_SECRET: product.endpoints[account].client_secret,
  JUNCTION_TOKEN_URL: new URL('/oauth/token', product.endpoints.gateway).href,
  AUTH_GRPC_ADDRESS: product.endpoints.grpc.auth,
  INTEGRATIONS_GRPC_ADDRESS: product.endpoints.grpc.integrations,
  GRPC_PLAINTEXT: 'true',
});

async function serviceToken(account: 'operator' | 'worker', scope: string): Promise<string> {
  const { client_id, client_secret } = product.endpoints[account];
  const form = { grant_type: 'client_credentials', audience: 'integrations', scope };
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  const response = await fetch(new URL('/oauth/token', product.endpoints.gateway), {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams(form),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

function listStreams(bearer: string): Promise<unknown> {
  const client = new Client(product.endpoints.grpc.integrations, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${bearer}`);
  const { path, requestSerialize, responseDeserialize } = OpsServiceService.listStreams;
  const request = { prefix: '', after: '', limit: 1 };
  return new Promise((resolve, reject) => {
    const answer = (error: ServiceError | null, response?: unknown) => {
      client.close();
      if (error) reject(error);
      else resolve(response);
    };
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, answer);
  });
}
