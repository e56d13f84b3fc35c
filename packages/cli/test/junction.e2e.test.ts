import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpsServiceService } from '@junction/contracts';
import { apiAt, type Call, type Product, startProduct } from '@junction/demo';
import { type KafkaPort, kafkaClient, type ProducerPort } from '@junction/messaging';
import { eventually } from '@junction/testing';
import { exportJWK, generateKeyPair } from 'jose';
import { Client as Database } from 'pg';
import { junction, startJunction, values } from './junction.js';

const MINUTE = 60_000;
const ADDRESS = `${randomUUID()}@example.com`;
const PASSWORD = `pass ${randomUUID()}`;
const HOOK = `http://127.0.0.1:9/${randomUUID()}`;

const TOPIC = 'assistant.events.v1';
const CONSUMER = 'webhook-dispatcher.assistant';
const UUID = /^[0-9a-f-]{36}$/;

const log = { debug() {}, info() {}, warn() {}, error() {} };

let product: Product;
let kafka: KafkaPort;
let producer: ProducerPort;
let call: Call;
let user: string;
let token: string;
let webhook: string;
let webhookId: string;

beforeAll(async () => {
  product = await startProduct(process.env);
  kafka = kafkaClient({ brokers: [product.endpoints.kafka], clientId: 'junction-test', log });
  producer = await kafka.producer();
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
  await producer?.close();
  expect(await product?.stop()).toBe(0);
}, MINUTE);

/** A command line begun, and one run to its end. */
const begin = (line: string) => startJunction(product, line.split(' '));
const cli = (line: string) => begin(line).ended;

describe('junction events', () => {
  it('lists a stream, for people and for machines', async () => {
    const people = await cli(`events list -s webhooks ${webhook}`);
    expect(people).toMatchObject({ code: 0, err: '' });
    expect(people.out).toMatch(
      /VERSION {2}TYPE .*\n +1 {2}webhook\.configured .*\n +2 {2}webhook\.updated /,
    );

    const machines = await cli(`events list -s webhooks ${webhook} --json --after 1`);
    expect(values(machines)).toEqual([
      expect.objectContaining({ stream_id: webhook, version: 2, type: 'webhook.updated' }),
    ]);
  });

  it('shows an event by its place and by its id, sealed fields as sealed', async () => {
    const byPlace = await cli(`events show -s auth ${user}@1`);
    expect(byPlace.code).toBe(0);
    expect(byPlace.out).toContain('"email": "[sealed]"');
    expect(byPlace.out).not.toContain(ADDRESS);

    const place = `events show -s webhooks ${webhook} 1 --json`;
    const [event] = values(await cli(place));
    expect(event).toMatchObject({ type: 'webhook.configured', data: { url: '[sealed]' } });
    const id = `events show -s webhooks ${String(event?.['event_id'])} --json`;
    expect(values(await cli(id))).toEqual([event]);
    expect(values(await cli(`${id} --stream ${webhook}`))).toEqual([event]);
  });

  it('gives a state as of now, of a version and of a time', async () => {
    const state = async (asOf = '') =>
      values(await cli(`events state -s webhooks ${webhook} --json${asOf}`))[0];
    const [first] = values(await cli(`events show -s webhooks ${webhook} 1 --json`));
    const configured = { state: 'live', url: '[sealed]', paused: false };
    expect(await state()).toMatchObject({ version: 2, state: { paused: true, url: '[sealed]' } });
    expect(await state(' --version 1')).toMatchObject({ version: 1, state: configured });
    expect(await state(` --at ${String(first?.['recorded_at'])}`)).toMatchObject({
      version: 1,
      recorded_at: first?.['recorded_at'],
      state: configured,
    });
    expect(await state(' --at 2020-01-01T00:00:00+01:00')).toMatchObject({
      version: 0,
      state: { state: 'none' },
    });
  });

  it('follows live: an event made meanwhile is seen', async () => {
    const follower = begin('events follow -s webhooks -c webhook --json -n 1');
    await eventually(() => expect(follower.err()).toContain('Following.'));
    await call('PATCH', `/api/webhooks/${webhookId}`, { json: { paused: false } });
    const ended = await follower.ended;
    expect(ended.code).toBe(0);
    expect(values(ended)).toEqual([
      expect.objectContaining({ stream_id: webhook, version: 3, type: 'webhook.updated' }),
    ]);
  });

  it('goes on following where it was when the service is killed and comes back', async () => {
    const follower = begin('events follow -s webhooks -c webhook --beginning --json -n 4');
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
    const follower = begin('events follow -s auth');
    await eventually(() => expect(follower.err()).toContain('Following.'));
    follower.interrupt();
    expect(await follower.ended).toMatchObject({ code: 0, out: '' });
  });

  it('leaves an event of each call: who asked for what', async () => {
    const listed = await cli(`events list -s auth ${user}`);
    expect(listed.code).toBe(0);
    const [first] = values(await cli('events follow -s auth -c ops --beginning --json -n 1'));
    expect(first).toMatchObject({
      type: 'ops.read',
      metadata: { actor: 'service cli_operator' },
      data: { clientId: 'cli_operator', arguments: expect.any(Object) },
    });
    const streamId = String(first?.['stream_id']);
    const state = await cli(`events state -s auth ${streamId} --json`);
    expect(values(state)[0]).toMatchObject({ state: { status: 'read', clientId: 'cli_operator' } });
    const streams = await cli('events streams -s auth ops- --json');
    expect(values(streams)).toContainEqual({ stream_id: streamId, version: 1 });
  });
});

describe('junction keys', () => {
  it('lists the key ring and what its keys have sealed, and has nothing to rotate', async () => {
    const list = await cli('keys list -s auth --json');
    expect(values(list)).toMatchObject([
      {
        inRing: true,
        newest: true,
        uses: expect.arrayContaining([
          { table: 'signing_keys', column: 'private_jwk_sealed', rows: 1 },
        ]),
      },
    ]);
    const people = await cli('keys list -s auth');
    expect(people.out).toMatch(/KEY +IT +HAS SEALED\n\w+ +seals/);
    expect(await cli('keys rotate -s auth')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/has sealed anew/),
    });
  });
});

describe('junction dlq', () => {
  it('lists, shows, redrives and drops a record that could not be handled', async () => {
    const userId = randomUUID();
    await publish(userId, 'inbox.exploded');
    const letter = await eventually(async () => {
      const [found] = values(await cli(`dlq list --user ${userId} --json -s webhooks`));
      expect(found).toMatchObject({ reason: { code: 'ce_type_unknown' }, state: 'open' });
      return found;
    });
    const id = String(letter?.['id']);
    expect(letter).toMatchObject({
      id: expect.stringMatching(UUID),
      consumer: CONSUMER,
      topic: TOPIC,
    });

    const people = await cli('dlq list -s webhooks');
    expect(people).toMatchObject({ code: 0, err: '' });
    expect(people.out).toContain(id);

    const shown = await cli(`dlq show ${id} -s webhooks`);
    expect(shown.out).toContain('ce_type_unknown');
    expect(shown.out).not.toContain('for her eyes only');
    const record = await cli(`dlq show ${id} --record -s webhooks`);
    expect(record.out).toContain('for her eyes only');

    // The handler has not learnt that kind meanwhile, so it fails again, and says so.
    const redriven = await cli(`dlq redrive ${id} --json -s webhooks`);
    expect(redriven.code).toBe(1);
    expect(values(redriven)).toMatchObject([
      { id, outcome: 'failed', reason: { code: 'ce_type_unknown' } },
    ]);

    const dropped = await cli(`dlq drop --user ${userId} --note a-broken-producer -s webhooks`);
    expect(dropped).toMatchObject({ code: 0, out: expect.stringContaining('dropped') });
    expect(values(await cli(`dlq show ${id} --json -s webhooks`))).toMatchObject([
      { state: 'discarded', resolved_by: 'cli_operator', note: 'a-broken-producer', redrives: 1 },
    ]);
    expect(values(await cli(`dlq list --user ${userId} --json -s webhooks`))).toEqual([]);
  });

  it('redrives one whose cause is gone', async () => {
    const userId = randomUUID();
    await inDatabase('webhooks', async (db) => {
      await db.query(`
        create function refuse_all() returns trigger language plpgsql as
          $$ begin raise exception 'a rule nobody kept'; end $$;
        create trigger refuse_all before insert on seen_events for each row execute function refuse_all()`);
      await publish(userId, 'draft.created');
      const open = `dlq list --user ${userId} --json`;
      await eventually(
        async () => expect(values(await cli(`${open} -s webhooks`))).toHaveLength(1),
        {
          deadlineMs: MINUTE,
        },
      );
      await db.query('drop function refuse_all cascade');

      const redriven = await cli(`dlq redrive --user ${userId} --json -s webhooks`);
      expect(redriven.code).toBe(0);
      const [outcome] = values(redriven);
      expect(outcome).toMatchObject({ outcome: 'redriven' });
      expect(values(await cli(`${open} -s webhooks`))).toEqual([]);
      const shown = values(await cli(`dlq show ${String(outcome?.['id'])} --json -s webhooks`));
      expect(shown).toMatchObject([{ state: 'redriven', resolved_by: 'cli_operator' }]);
      const seen = await db.query('select from seen_events where user_id = $1', [userId]);
      expect(seen.rowCount).toBe(1);
    });
  });

  it('leaves an event of each change, with what came of it and no text', async () => {
    const streams = values(await cli('events streams ops- --json -s webhooks'));
    const count = String(streams.length);
    const followed = await cli(`events follow -c ops --beginning --json -n ${count} -s webhooks`);
    expect(followed.out).not.toContain('broken-producer');
    const events = values(followed);
    const methods = events.map(({ data }) => (data as { method?: string }).method);
    expect(methods).toContain('ListDeadLetters');
    const asked = events.find(({ type }) => type === 'ops.requested');
    expect(asked).toMatchObject({
      data: { method: 'RedriveDeadLetters', clientId: 'cli_operator' },
      metadata: { actor: 'service cli_operator' },
    });
    const stream = String(asked?.['stream_id']);
    const [state] = values(await cli(`events state ${stream} --json -s webhooks`));
    expect(state).toMatchObject({ state: { status: 'completed', result: { failed: 1 } } });
  });

  it.each([
    ['dlq redrive', 2, 'Name ids, or else'],
    [`dlq drop ${randomUUID()}`, 2, "'--note <why>' not specified"],
    [`dlq show ${randomUUID()}`, 1, 'There is no dead letter'],
    [`dlq redrive ${randomUUID()}`, 1, '1 of 1 did not come to that'],
  ])('says what is wrong with %s', async (line, code, words) => {
    const ended = await cli(`${line} -s webhooks`);
    expect(ended.code).toBe(code);
    expect(ended.err).toContain(words);
  });

  it('lists those of auth, which hears what the others have deleted', async () => {
    expect(await cli('dlq list -s auth')).toMatchObject({ code: 0, err: '' });
    const consumed = values(await cli('consumers list --json -s auth'));
    expect(new Set(consumed.map(({ topic }) => topic))).toEqual(
      new Set(['integrations.events.v1', 'webhooks.events.v1']),
    );
  });
});

describe('junction consumers', () => {
  it('lists partitions, and resets one only when it must or is forced', async () => {
    await publish(randomUUID(), 'inbox.exploded');
    const mine = await eventually(async () => {
      const listed = values(await cli('consumers list --json -s webhooks'));
      const found = listed.find(
        ({ consumer, offset }) => consumer === CONSUMER && Number(offset) > 0,
      );
      expect(found).toMatchObject({ topic: TOPIC, state: 'running', lag: 0 });
      return found;
    });
    const reset = `consumers reset ${CONSUMER} ${TOPIC} ${String(mine?.['partition'])}`;
    expect(await cli(`${reset} --beginning -s webhooks`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('FAILED_PRECONDITION'),
    });
    expect(await cli(`${reset} -s webhooks`)).toMatchObject({ code: 2 });
    const forced = await cli(
      `${reset} --offset ${String(mine?.['offset'])} --force --json -s webhooks`,
    );
    expect(values(forced)).toMatchObject([{ from: mine?.['offset'], offset: mine?.['offset'] }]);
    const beyond = await cli(`${reset} --offset 999999 --force -s webhooks`);
    expect(beyond).toMatchObject({ code: 2, err: expect.stringContaining('within the log') });
  });
});

describe('junction consumers', () => {
  it('shows a partition whose offset is lost, and lets an operator say where it goes on', async () => {
    const partition = 0;
    const list = async () =>
      values(await cli('consumers list --json -s webhooks')).find(
        (each) => each['consumer'] === CONSUMER && each['partition'] === partition,
      );
    // As after a topic that was made anew: its log ends before what is stored.
    const lost = await inDatabase('webhooks', async (db) =>
      db.query(
        'update consumer_offsets set next_offset = 4711 where consumer = $1 and partition = $2',
        [CONSUMER, partition],
      ),
    );
    expect(lost.rowCount).toBe(1);
    await eventually(async () => expect(await list()).toMatchObject({ state: 'offset_lost' }), {
      deadlineMs: MINUTE,
    });
    const reset = await cli(
      `consumers reset ${CONSUMER} ${TOPIC} ${String(partition)} --end --json -s webhooks`,
    );
    const [{ offset } = {}] = values(reset);
    expect(reset.code).toBe(0);
    expect(values(reset)).toMatchObject([{ from: 4711, offset: expect.any(Number) }]);
    await eventually(async () => expect(await list()).toMatchObject({ state: 'running', offset }), {
      deadlineMs: MINUTE,
    });
  });
});

describe('junction projections', () => {
  it('lists them, and rebuilds one beside the one that answers', async () => {
    const api = apiAt(product.endpoints.gateway);
    const json = { email: `${randomUUID()}@example.com`, password: `pass ${randomUUID()}` };
    expect((await api('POST', '/api/auth/register', { json })).status).toBe(201);
    const list = async () => values(await cli('projections list -s auth --json'));
    expect(await list()).toContainEqual(expect.objectContaining({ name: 'users', version: 1 }));
    const rebuilt = await cli('projections rebuild -s auth users');
    expect(rebuilt).toMatchObject({ code: 0, out: expect.stringContaining('from version 2') });
    // No terminal watches: a line for each phase, and no bar.
    const told = rebuilt.err.trimEnd().split('\n');
    expect(told[0]).toMatch(/^users \d+ % 0\/\d+ 0\/s$/);
    expect(told.at(-2)).toMatch(/^users 100 % (\d+)\/\1 switching$/);
    expect(told.at(-1)).toBe(told.at(-2)?.replace('switching', 'done'));
    expect(await list()).toContainEqual(expect.objectContaining({ name: 'users', version: 2 }));
    const login = await api('POST', '/api/auth/login', { json });
    expect(login.status).toBe(200);
  });

  it('keeps what a rebuild has filled when its command is killed, and goes on there', async () => {
    const list = async () =>
      values(await cli('projections list -s auth --json')).find(({ name }) => name === 'sessions');
    const rebuild = 'projections rebuild -s auth sessions';
    const before = Number((await list())?.['version']);
    await inDatabase('auth', async (db) => {
      // Whoever writes in a transaction keeps the new version from taking over.
      await db.query('set idle_in_transaction_session_timeout = 0; begin');
      await db.query('lock table sessions in row exclusive mode');
      const killed = begin(rebuild);
      await eventually(() => expect(killed.err()).toContain(' switching'), { deadlineMs: MINUTE });
      killed.kill();
      await killed.ended;
      await eventually(
        async () =>
          expect(await list()).toMatchObject({
            version: before,
            rebuild: { version: before + 1, status: 'waiting', eventsDone: expect.any(Number) },
          }),
        { deadlineMs: MINUTE },
      );
    });
    const resumed = await cli(rebuild);
    expect(resumed).toMatchObject({
      code: 0,
      out: expect.stringContaining(`from version ${before + 1}`),
    });
    expect(resumed.err).toMatch(/^sessions 100 % /);
  });

  it.each([
    ['rebuild nothing', 'There is no projection "nothing"'],
    ['discard users', 'is not being rebuilt'],
  ])('refuses %s', async (line, words) => {
    const ended = await cli(`projections ${line} -s auth`);
    expect(ended.code).toBe(1);
    expect(ended.err).toContain(words);
  });
});

describe('junction doctor', () => {
  it('finds every stream well', async () => {
    const ended = await cli('doctor -s auth --json');
    expect(ended.code).toBe(0);
    expect(values(ended)).toMatchObject([{ streams: expect.any(Number), problems: [] }]);
  });
});

describe('junction', () => {
  it.each([
    ['events list -s webhooks webhook-nope', 1, 'There is no stream webhook-nope'],
    [`events list -s auth ${ADDRESS}`, 2, 'Letters, digits'],
  ])('says what is wrong with %s', async (line, code, words) => {
    const ended = await cli(line);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toContain(words);
  });

  it.each(['auth', 'integrations', 'webhooks'])('says how %s is', async (service) => {
    const asked = await cli(`health -s ${service} --json`);
    expect({ code: asked.code, told: values(asked) }).toEqual({
      code: 0,
      told: [{ service, ready: true, failing: [] }],
    });
    const accesses = values(await cli('audit --actor cli_operator --json'));
    expect(accesses).toContainEqual(expect.objectContaining({ service, method: 'GetHealth' }));
  });

  it('lists the accesses of all services, newest first, its own among them', async () => {
    await cli('projections list -s integrations');
    const accesses = values(await cli('audit --actor cli_operator --json'));
    const services = new Set(accesses.map(({ service }) => service));
    expect(services).toEqual(new Set(['auth', 'integrations', 'webhooks']));
    const times = accesses.map(({ at }) => Date.parse(String(at)));
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    expect(accesses).toContainEqual(
      expect.objectContaining({
        service: 'integrations',
        actor: { kind: 'service', id: 'cli_operator' },
        method: 'ListProjections',
        outcome: 'read',
      }),
    );
    const nobody = await cli('audit --actor nobody');
    expect(nobody).toMatchObject({ code: 0, out: expect.stringContaining('no accesses') });
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
  it('refuses a service token without ops:read', async () => {
    const wrong = await serviceToken('worker', 'tokens:read');
    await expect(listStreams(wrong)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    const writing = await serviceToken('operator', 'ops:write');
    await expect(listStreams(writing)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    const reading = await serviceToken('operator', 'ops:read');
    await expect(listStreams(reading)).resolves.toMatchObject({ more: expect.any(Boolean) });
  });
});

describe('junction clients', () => {
  it('registers a client, replaces its secret by another and then by a key, and ends it', async () => {
    const grant = 'auth:ops:read';
    const [{ client_id: id, client_secret: first }] = values(
      await cli(`clients add looker --grant ${grant} --json`),
    ) as [{ client_id: string; client_secret: string }];
    const asClient = async (credential: Readonly<Record<string, string>>) =>
      junction(undefined, ['clients', 'list', '--json'], {
        ...asAccount('operator'),
        JUNCTION_ENV: 'development',
        JUNCTION_CLIENT_ID: id,
        JUNCTION_CLIENT_SECRET: '',
        ...credential,
      });
    const seen = await asClient({ JUNCTION_CLIENT_SECRET: first });
    expect(values(seen)).toMatchObject([
      { client_id: id, name: 'looker', secrets: 1, grants: [{ audience: 'auth' }] },
    ]);

    const [{ client_secret: second }] = values(await cli(`clients rotate ${id} --json`)) as [
      { client_secret: string },
    ];
    for (const secret of [first, second]) {
      expect((await asClient({ JUNCTION_CLIENT_SECRET: secret })).code).toBe(0);
    }

    const folder = await mkdtemp(path.join(tmpdir(), 'clients-'));
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const [jwks, keyFile] = [path.join(folder, 'jwks.json'), path.join(folder, 'key.json')];
    const publicJwk = { ...(await exportJWK(publicKey)), kid: 'k1' };
    await writeFile(jwks, JSON.stringify({ keys: [publicJwk] }));
    await writeFile(
      keyFile,
      JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'k1', alg: 'ES256' }),
    );
    expect((await cli(`clients set-keys ${id} ${jwks} --overlap 0s`)).code).toBe(0);
    expect(await asClient({ JUNCTION_CLIENT_SECRET: second })).toMatchObject({
      code: 1,
      err: expect.stringContaining('its secret is another one'),
    });
    const byKey = {
      JUNCTION_CLIENT_KEY_FILE: keyFile,
      JUNCTION_ISSUER: product.endpoints.gateway,
    };
    expect(values(await asClient(byKey))).toMatchObject([{ client_id: id, key_ids: ['k1'] }]);

    expect((await cli(`clients revoke ${id}`)).code).toBe(0);
    expect((await asClient(byKey)).code).toBe(1);
    expect(values(await cli('clients list --json'))).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it.each([
    ['clients add looker', 2, '--grant'],
    ['clients add looker --grant billing:ops:read', 2, 'grants'],
    ['clients add looker --grant auth', 2, 'AUDIENCE:SCOPE'],
    ['clients rotate cli_worker', 2, 'clients list'],
    ['clients rotate cli_0190d9a0-7a1e-7cc0-8c3e-2b1f4d5e6a7b', 1, 'There is no client'],
    ['clients revoke cli_0190d9a0-7a1e-7cc0-8c3e-2b1f4d5e6a7b --overlap 1d', 2, 'overlap'],
  ])('says what is wrong with %s', async (line, code, words) => {
    const ended = await cli(line);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toContain(words);
  });
});

// Last: a leaked key ends the tokens of the tests before.
describe('junction users', () => {
  it('lists and shows them with their addresses masked, and deletes one by a receipt', async () => {
    const api = apiAt(product.endpoints.gateway);
    const email = `${randomUUID()}@example.com`;
    const json = { email, password: `pass ${randomUUID()}` };
    const { body } = await api('POST', '/api/auth/register', { json });
    const { id } = (body as { user: { id: string } }).user;
    await api('POST', '/api/auth/login', { json });
    const [newest] = values(await cli('users list -n 1 --json'));
    expect(newest).toMatchObject({ user_id: id, origin: 'password', role: 'user' });
    const shown = await cli(`users show ${email} --json`);
    expect(values(shown)[0]).toMatchObject({ user_id: id, sessions: 1, api_keys: 0 });
    expect(shown.out).not.toContain(email);

    const [deleted] = values(await cli(`users delete ${email} --json`));
    const receipt = `/api/auth/deletion-receipts/${String(deleted?.['receipt_id'])}`;
    expect((await api('GET', receipt)).status).toBe(200);
    expect(await cli(`users show ${id}`)).toMatchObject({ code: 1 });
  });
});

describe('junction auth', () => {
  const keyIds = async () => {
    const { body } = await apiAt(product.endpoints.gateway)('GET', '/.well-known/jwks.json');
    return (body as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };

  it('publishes a new signing key before it signs, so that nothing is refused', async () => {
    const before = await keyIds();
    const [rotated] = values(await cli('auth rotate-keys --json')) as [{ kid: string }];
    await eventually(async () => expect(await keyIds()).toContain(rotated.kid));
    expect(await keyIds()).toEqual(expect.arrayContaining(before));
    expect((await call('GET', '/api/auth/me')).status).toBe(200);
  });

  it('signs with a new key at once when one has leaked, and ends what the others signed', async () => {
    const ended = await cli('auth rotate-keys --now');
    expect(ended).toMatchObject({ code: 0, err: '' });
    await eventually(async () => {
      expect(await keyIds()).toEqual([ended.out.split(' ')[0]]);
      expect((await call('GET', '/api/auth/me')).status).toBe(401);
    });
    const stream = `signing_key-${(await keyIds())[0]}`;
    expect(values(await cli(`events list -s auth ${stream} --json`))).toMatchObject([
      { type: 'signing_key.created' },
    ]);
  });
});

describe('junction webhooks', () => {
  it('publishes a new key before it signs, and ends the others when one has leaked', async () => {
    const published = async () => {
      const path = '/.well-known/webhook-keys.json';
      const { body } = await apiAt(product.endpoints.gateway)('GET', path);
      return (body as { keys: { whpk: string }[] }).keys.map(({ whpk }) => whpk);
    };
    const before = await published();
    const [rotated] = values(await cli('webhooks rotate-keys --json'));
    expect(rotated).toMatchObject({ kid: expect.any(String), signs_from: expect.any(String) });
    await eventually(async () => {
      expect(await published()).toEqual([rotated?.['public_key'], ...before]);
    });

    const ended = await cli('webhooks rotate-keys --now');
    expect(ended).toMatchObject({ code: 0, err: '' });
    await eventually(async () => expect(await published()).toEqual([ended.out.split(' ')[0]]));
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

/** As a person with psql would be, in the database of a service. */
async function inDatabase<T>(
  database: 'auth' | 'integrations' | 'webhooks',
  work: (client: Database) => Promise<T>,
): Promise<T> {
  const connectionString = product.databaseUrls.find((url) => url.endsWith(`/${database}`));
  const client = new Database({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const publish = async (userId: string, kind: string): Promise<void> =>
  producer.sendBatch([
    {
      topic: TOPIC,
      key: userId,
      value: Buffer.from('{"note":"for her eyes only"}'),
      headers: {
        ce_specversion: '1.0',
        ce_id: randomUUID(),
        ce_source: '/junction-test',
        ce_type: kind,
        ce_subject: userId,
        'content-type': 'application/json',
      },
    },
  ]);
