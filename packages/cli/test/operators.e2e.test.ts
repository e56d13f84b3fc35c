import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Product, startProduct } from '@junction/demo';
import { apiAt, type Call, eventually } from '@junction/testing';
import { values } from './junction.js';
import {
  CONSUMER,
  commandsOf,
  inDatabase,
  MINUTE,
  type Publisher,
  publisher,
  TOPIC,
  userWithWebhook,
} from './operator.js';

/**
 * These commands need a product of their own: other tests would notice their effects, or would disturb their counts.
 */

let product: Product;
let events: Publisher;
let call: Call;
let webhookId: string;

beforeAll(async () => {
  product = await startProduct(process.env);
  [events, { call, webhookId }] = await Promise.all([publisher(product), userWithWebhook(product)]);
}, 4 * MINUTE);

afterAll(async () => {
  await events?.close();
  expect(await product?.stop()).toBe(0);
}, MINUTE);

const { begin, cli } = commandsOf(() => product);

/** Failures, more than a circuit needs to open. */
const FAILED = 6;

/** A webhook of a new user to which nothing gets through, until its circuit is open. */
async function failingWebhook() {
  const other = await userWithWebhook(product);
  const userId = other.user.slice('user-'.length);
  await other.call('PATCH', `/api/webhooks/${other.webhookId}`, { json: { paused: false } });
  for (let n = 0; n < FAILED; n++) await events.publish(userId, 'draft.created', {});
  await eventually(async () =>
    expect(values(await cli('circuits list --json'))).toMatchObject([
      { webhook_id: other.webhookId },
    ]),
  );
  return { userId, failing: other.webhookId };
}

describe('junction events', () => {
  it('goes on following where it was when the service is killed and comes back', async () => {
    const follower = begin('events follow -s webhooks -c webhook --beginning --json -n 3');
    await eventually(() => expect(values({ out: follower.out() })).toHaveLength(2));
    const pid = product.pids()['webhook-dispatcher'] ?? 0;
    process.kill(pid, 'SIGKILL');
    await eventually(() => expect(follower.err()).toContain('The connection was lost.'));
    await eventually(
      async () => {
        const json = { paused: false };
        const { status } = await call('PATCH', `/api/webhooks/${webhookId}`, { json });
        expect(status).toBe(200);
      },
      { deadlineMs: MINUTE, pollMs: 200 },
    );
    const ended = await follower.ended;
    expect(values(ended).map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(ended.code).toBe(0);
  });
});

describe('junction health', () => {
  it('answers while the database of the service is away, and names it', async () => {
    await inDatabase(product, 'integrations', async (db) => {
      await db.query('alter database integrations connection limit 0');
      await db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = 'integrations' and pid <> pg_backend_pid()`,
      );
      await eventually(
        async () =>
          expect(await cli('health -s integrations')).toMatchObject({
            code: 1,
            out: '',
            err: expect.stringMatching(/^integrations is not ready: .*postgres/),
          }),
        { deadlineMs: MINUTE },
      );
      await db.query('alter database integrations connection limit -1');
    });
    await eventually(async () => expect((await cli('health -s integrations')).code).toBe(0), {
      deadlineMs: MINUTE,
    });
  });
});

describe('junction dlq', () => {
  it('redrives one whose cause is gone', async () => {
    const userId = randomUUID();
    await inDatabase(product, 'webhooks', async (db) => {
      await db.query(`
        create function refuse_all() returns trigger language plpgsql as
          $$ begin raise exception 'a rule nobody kept'; end $$;
        create trigger refuse_all before insert on seen_events for each row execute function refuse_all()`);
      await events.publish(userId, 'draft.created', {});
      const open = `dlq list --user ${userId} --json`;
      await eventually(
        async () => expect(values(await cli(`${open} -s webhooks`))).toHaveLength(1),
        { deadlineMs: MINUTE },
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
});

describe('junction consumers', () => {
  it('lists partitions, and resets one only when it must or is forced', async () => {
    await events.publish(randomUUID(), 'inbox.exploded', {});
    // A partition that no consumer reported for ten seconds, as on a slow machine, counts as stopped and may be reset.
    const mine = await eventually(
      async () => {
        const listed = values(await cli('consumers list --json -s webhooks'));
        const found = listed.find(
          ({ consumer, offset }) => consumer === CONSUMER && Number(offset) > 0,
        );
        expect(found).toMatchObject({ topic: TOPIC, state: 'running', lag: 0 });
        const refused = await cli(
          `consumers reset ${CONSUMER} ${TOPIC} ${String(found?.['partition'])} --beginning -s webhooks`,
        );
        expect(refused).toMatchObject({
          code: 1,
          err: expect.stringContaining('partition_consumed'),
        });
        return found;
      },
      { deadlineMs: MINUTE },
    );
    const reset = `consumers reset ${CONSUMER} ${TOPIC} ${String(mine?.['partition'])}`;
    expect(await cli(`${reset} -s webhooks`)).toMatchObject({ code: 2 });
    const forced = await cli(
      `${reset} --offset ${String(mine?.['offset'])} --force --json -s webhooks`,
    );
    expect(values(forced)).toMatchObject([{ from: mine?.['offset'], offset: mine?.['offset'] }]);
    const beyond = await cli(`${reset} --offset 999999 --force -s webhooks`);
    expect(beyond).toMatchObject({ code: 2, err: expect.stringContaining('within the log') });
  });

  it('shows a partition whose offset is lost, and lets an operator say where it goes on', async () => {
    const partition = 0;
    const list = async () =>
      values(await cli('consumers list --json -s webhooks')).find(
        (each) => each['consumer'] === CONSUMER && each['partition'] === partition,
      );
    // The offset is beyond the log's end, as after a topic was made anew.
    const lost = await inDatabase(product, 'webhooks', async (db) =>
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

describe('junction on how sending goes', () => {
  it('tells what waits, what fails, whose circuit is open, and has it probed', async () => {
    const { userId, failing } = await failingWebhook();
    const backlog = await cli('deliveries backlog --json');
    expect(values(backlog)).toEqual([
      expect.objectContaining({
        retrying: expect.any(Number),
        due: expect.any(Number),
        failing_webhooks: 1,
        ended: expect.any(Array),
        reasons: [{ reason: 'connection_refused', webhooks: 1 }],
      }),
    ]);
    expect((await cli('deliveries backlog')).out).toMatch(/webhooks failing +1\n/);

    const of = { webhook_id: failing, user_id: userId, host: '127.0.0.1:9' };
    expect(values(await cli(`webhooks failing --user ${userId} --json`))).toMatchObject([
      { ...of, status: 'active', reason: 'connection_refused', waiting: FAILED },
    ]);
    expect(values(await cli(`webhooks failing --user ${randomUUID()} --json`))).toEqual([]);
    expect(values(await cli('webhooks failing --by-user --json'))).toMatchObject([
      { user_id: userId, failing: 1, webhooks: 1 },
    ]);
    for (const command of ['webhooks failing', 'webhooks failing --by-user', 'circuits list']) {
      expect((await cli(command)).out).toContain(userId);
    }

    const circuit = async () => values(await cli('circuits list --json'))[0];
    const before = await circuit();
    expect(before).toMatchObject({ ...of, state: 'open' });
    expect(await cli(`circuits probe ${failing}`)).toMatchObject({
      code: 0,
      out: expect.stringContaining('goes out now'),
    });
    // The probe fails as well, and the next rest is longer.
    await eventually(async () => {
      const after = await circuit();
      expect(String(after?.['probe_at']) > String(before?.['probe_at'])).toBe(true);
      expect(after).toMatchObject({ state: 'open', opened_at: before?.['opened_at'] });
    });
    const unknown = await cli(`circuits probe wh_${randomUUID()}`);
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('no open circuit') });
  });

  it('tells which replica sends for whom', async () => {
    const all = Array.from({ length: 48 }, (_, shard) => shard);
    await eventually(async () =>
      expect(values(await cli('shards list --json'))).toEqual([
        {
          owners: expect.arrayContaining([
            expect.objectContaining({ shards: all, alive: true, partitions: all.slice(0, 12) }),
          ]),
          free: [],
        },
      ]),
    );
    expect((await cli('shards list')).out).toMatch(/ alive +48 .* 0-11 +0-47\n/);
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
    await inDatabase(product, 'auth', async (db) => {
      // A transaction that writes keeps the rebuild's new version from taking over, so the rebuild waits here.
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
