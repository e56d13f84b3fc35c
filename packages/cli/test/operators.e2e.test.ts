import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiAt, type Call, type Product, startProduct } from '@junction/demo';
import { type KafkaPort, kafkaClient, type ProducerPort } from '@junction/messaging';
import { eventually } from '@junction/testing';
import { Client as Database } from 'pg';
import { values } from './junction.js';
import { commandsOf, MINUTE, userWithWebhook } from './operator.js';

/** What others would notice, and what counts on being alone. */

const TOPIC = 'assistant.events.v1';
const CONSUMER = 'webhook-dispatcher.assistant';
const UUID = /^[0-9a-f-]{36}$/;

const log = { debug() {}, info() {}, warn() {}, error() {} };

let product: Product;
let kafka: KafkaPort;
let producer: ProducerPort;
let call: Call;
let user: string;
let webhook: string;
let webhookId: string;

beforeAll(async () => {
  product = await startProduct(process.env);
  kafka = kafkaClient({ brokers: [product.endpoints.kafka], clientId: 'junction-test', log });
  producer = await kafka.producer();
  ({ call, user, webhook, webhookId } = await userWithWebhook(product));
}, 4 * MINUTE);

afterAll(async () => {
  await producer?.close();
  expect(await product?.stop()).toBe(0);
}, MINUTE);

const { begin, cli } = commandsOf(() => product);

describe('junction events', () => {
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
