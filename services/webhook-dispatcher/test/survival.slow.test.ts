import { afterEach, describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import type { TestService } from '@junction/testing';
import { eventually } from '@junction/testing';
import { toStoredId } from '../src/adapters/postgres/stored-id.js';
import { bodiesOf, idsOf, requestsAt } from './received.js';
import { webhookOf } from './shares.js';
import { type NewWebhook, useWorld } from './world.js';

const world = useWorld(
  ({ caFile = '' }) => ({
    WEBHOOK_CA_FILE: caFile,
    WEBHOOK_RETRY_SCHEDULE_S: '0.2,0.2,0.2',
    // Nothing that hangs is given up before its test has gone on.
    WEBHOOK_ATTEMPT_TIMEOUT_S: '60',
  }),
  { tls: true },
);

describe('a dispatcher that is killed', () => {
  let another: TestService | undefined;
  afterEach(() => another?.end('SIGKILL'));

  it.each([
    ['and started again', async () => alone()],
    ['beside another', async () => besideAnother((another = await world().startAnother()))],
  ])('loses nothing at whatever step, and repeats only what was under way: %s', async (_, how) => {
    const { receiver, publish } = world();
    const { victim, newWebhook, goOn } = await how();
    const sending = await newWebhook();
    const answered = await newWebhook();
    const committed = await newWebhook({ secret: 'shared' });
    const polled = await newWebhook();
    const away = await newWebhook();
    const steps = await bringTo({ sending, answered, committed, polled });
    expect([sending, answered, committed, polled].map((one) => idsAt(one).length)).toEqual([
      1, 1, 0, 0,
    ]);

    await victim.end('SIGKILL');
    await steps.letGo();
    receiver.answer({});
    const ids = await Promise.all(times(20, away).map(({ userId }) => publish(userId)));
    await goOn();

    const { sent } = steps;
    const expectAll = () => {
      for (const one of [sending, answered]) {
        expect(idsAt(one)).toEqual(times(2, sent.get(one)));
        expect(bodiesOf(requestsAt(receiver, one.path)).size).toBe(1);
      }
      for (const one of [committed, polled]) expect(idsAt(one)).toEqual([sent.get(one)]);
      expect(idsAt(away).sort()).toEqual([...ids].sort());
    };
    await eventually(expectAll, { deadlineMs: 45_000 });
    for (const one of [sending, answered, committed, polled]) await succeededAtOnce(one);
    expectAll();
  });
});

interface Killing {
  readonly victim: TestService;
  /** Makes a webhook of the victim: everything for this webhook is done there. */
  readonly newWebhook: (options?: object) => Promise<NewWebhook>;
  /** After the victim is dead. */
  readonly goOn: () => Promise<void>;
}

function alone(): Killing {
  const { dispatcher, newWebhook } = world();
  return { victim: dispatcher, newWebhook, goOn: () => dispatcher.startAgain() };
}

function besideAnother(victim: TestService): Killing {
  const { database, newWebhook } = world();
  return {
    victim,
    newWebhook: (options) => webhookOf(victim, database, () => newWebhook(options)),
    goOn: async () => {},
  };
}

/** Webhooks by the step that their event is brought to before the kill. */
interface Steps {
  /** The receiver has the request and does not answer. */
  readonly sending: NewWebhook;
  /** The receiver has answered, and the result is not written. */
  readonly answered: NewWebhook;
  /** The event is filed and not sent. */
  readonly committed: NewWebhook;
  /** The event is read and not filed. */
  readonly polled: NewWebhook;
}

async function bringTo({ sending, answered, committed, polled }: Steps) {
  const { receiver, publish } = world();
  const database = await heldUp();
  const isFiled = deferred<void>();
  receiver.answer(({ path }) => (path === answered.path ? { after: isFiled.promise } : 'hang'));
  const sent = new Map<NewWebhook, string>();
  const send = async (one: NewWebhook) => sent.set(one, await publish(one.userId));

  await database.lock('attempts');
  await send(sending);
  await receiver.waitFor(({ path }) => path === sending.path);
  await send(answered);
  await receiver.waitFor(({ path }) => path === answered.path);
  await database.filed(answered);
  isFiled.resolve();
  await database.waitedFor('attempts');
  await database.lock('webhook_secrets');
  await send(committed);
  await database.waitedFor('webhook_secrets');
  await database.filed(committed);
  await database.lock('seen_events');
  await send(polled);
  await database.waitedFor('seen_events');
  return { sent, letGo: database.letGo };
}

const idsAt = ({ path }: NewWebhook) => [...idsOf(requestsAt(world().receiver, path))];

/** Expects one attempt in the log: an attempt that the killed process did not write is not counted. */
async function succeededAtOnce({ userId, webhookId }: NewWebhook) {
  const log = `/api/deliveries?webhook_id=${webhookId}&status=succeeded`;
  await eventually(async () => {
    const { body } = await world().dispatcher.call(userId, 'GET', log);
    expect(body['items']).toMatchObject([{ attempt_count: 1 }]);
  });
}

/** Tables that a test keeps locked, so that whoever needs them stands still at that step. */
async function heldUp() {
  const { pool } = world().database;
  const client = await pool.connect();
  await client.query('begin');
  await client.query('set local idle_in_transaction_session_timeout = 0');
  const waiting = `select pid from pg_locks l join pg_database d on d.oid = l.database
                    where d.datname = current_database() and not granted`;
  return {
    lock: (table: string) => client.query(`lock table ${table} in access exclusive mode`),
    waitedFor: async (table: string) =>
      eventually(async () => {
        const { rowCount } = await pool.query(`${waiting} and relation = $1::regclass`, [table]);
        expect([table, rowCount]).not.toEqual([table, 0]);
      }),
    /** Waits until the delivery to the webhook has a row, which is filed once it takes long. */
    filed: async ({ webhookId }: NewWebhook) =>
      eventually(async () => {
        const ofWebhook = 'select from pending where webhook_id = $1';
        const { rowCount } = await pool.query(ofWebhook, [toStoredId(webhookId)]);
        expect([webhookId, rowCount]).toEqual([webhookId, 1]);
      }),
    /** Ends the waiting statements with the process that issued them: otherwise they would still be executed. */
    async letGo() {
      await pool.query(`select pg_terminate_backend(pid) from (${waiting}) w`);
      await client.query('rollback');
      client.release();
    },
  };
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
