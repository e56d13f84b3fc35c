import { randomUUID } from 'node:crypto';
import { credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  AssistantEventsServiceClient,
  messageId,
  type PublishResponse,
  type PublishStreamResponse,
} from '@junction/contracts';
import { eventually } from '@junction/testing';
import { bodiesOf, idsOf, requestsAt } from './received.js';
import { webhookOf } from './shares.js';
import type { StartedDispatcher } from './started-dispatcher.js';
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
  let another: StartedDispatcher | undefined;
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
    receiver.answer(({ path }) => (path === sending.path ? 'hang' : {}));
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
      expect(idsAt(away).sort()).toEqual(ids.map((id) => messageId('/tests', id)).sort());
    };
    await eventually(expectAll, { deadlineMs: 45_000 });
    for (const one of [sending, answered, committed, polled]) await succeededAtOnce(one);
    expectAll();
  });

  it('ends cleanly when it is asked to, and its successor goes on at once', async () => {
    const { dispatcher, receiver, newWebhook, publish } = world();
    const { userId, path } = await newWebhook();
    expect(await dispatcher.end('SIGTERM')).toBe(0);
    await dispatcher.startAgain();
    await publish(userId);
    await receiver.waitFor((one) => one.path === path, 5_000);
  });
});

describe('events published over gRPC', () => {
  it('are acknowledged with their message id and delivered', async () => {
    const { receiver, newWebhook } = world();
    const { userId, path } = await newWebhook();
    const event = eventOf(userId);
    const { messageId: id } = await publishOne(event);
    expect(id).toBe(messageId(event.source, event.id));
    const { headers, body } = await receiver.waitFor((one) => one.path === path);
    expect(headers['webhook-id']).toBe(id);
    expect(body.includes(event.dataJson)).toBe(true);
  });

  it('may come as a stream', async () => {
    const { receiver, newWebhook } = world();
    const { userId, path } = await newWebhook();
    const events = Array.from({ length: 30 }, () => eventOf(userId));
    const { messageIds } = await publishMany(events);
    expect(messageIds).toEqual(events.map(({ source, id }) => messageId(source, id)));
    await eventually(() => {
      const came = requestsAt(receiver, path);
      expect(new Set(came.map(({ headers }) => headers['webhook-id']))).toEqual(
        new Set(messageIds),
      );
    });
  });

  it('are one delivery although they are published twice, on whatever road', async () => {
    const { receiver, newWebhook, publish } = world();
    const { userId, path } = await newWebhook();
    const event = eventOf(userId);
    const [{ messageId: id }] = await Promise.all([publishOne(event), publishOne(event)]);
    await publishMany([event, event]);
    const again = { ce_id: event.id, ce_source: event.source };
    await publish(userId, { headers: again, bytes: event.dataJson });
    await publish(userId, { data: { last: true } });

    await receiver.waitFor((one) => one.path === path && one.body.includes('"last"'));
    const came = requestsAt(receiver, path);
    expect(came.filter(({ headers }) => headers['webhook-id'] === id)).toHaveLength(1);
  });

  it('are refused one by one in a stream, and the others delivered', async () => {
    const { receiver, newWebhook } = world();
    const { userId, path } = await newWebhook();
    const [first, last] = [eventOf(userId), eventOf(userId)];
    const broken = { ...eventOf(userId), dataJson: Buffer.from('{') };
    const { messageIds, refused } = await publishMany([first, broken, last]);
    const ids = [first, last].map(({ source, id }) => messageId(source, id));
    expect(messageIds).toEqual([ids[0], '', ids[1]]);
    expect(refused).toEqual([
      { index: 1, field: 'data_json', code: 'data_not_json', reason: 'data must be valid JSON.' },
    ]);
    for (const id of ids) {
      await receiver.waitFor(({ headers }) => headers['webhook-id'] === id);
    }
    expect(requestsAt(receiver, path)).toHaveLength(2);
  });

  it.each([
    ['hangs up', status.CANCELLED],
    ['has waited to its deadline', status.DEADLINE_EXCEEDED],
  ])(
    'are one delivery each when they come again after their producer %s in the middle of a stream',
    async (_, code) => {
      const { receiver, newWebhook } = world();
      const { userId, path } = await newWebhook();
      const events = times(3, undefined).map(() => eventOf(userId));
      const { client, metadata } = await door();
      const isDeadline = code === status.DEADLINE_EXCEEDED;
      const unfinished = new Promise<PublishStreamResponse>((resolve, reject) => {
        const call = client.publishStream(
          metadata,
          isDeadline ? { deadline: Date.now() + 1_000 } : {},
          answer(client, resolve, reject),
        );
        for (const event of events) call.write(event, () => isDeadline || call.cancel());
      });
      await expect(unfinished).rejects.toMatchObject({ code });

      // What of it was taken nobody knows: the whole of it is sent again.
      await publishMany(events);
      const last = await publishOne(eventOf(userId));
      await receiver.waitFor(({ headers }) => headers['webhook-id'] === last.messageId);
      const ids = [...events.map(({ source, id }) => messageId(source, id)), last.messageId];
      await eventually(() => {
        const came = requestsAt(receiver, path);
        expect(came).toHaveLength(ids.length);
        expect(new Set(came.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(ids));
      });
    },
  );

  it('end a stream that is too long or has too much wrong', async () => {
    const broken = eventOf(randomUUID(), '');
    await expect(publishMany(times(1_001, broken))).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
    const event = eventOf(randomUUID());
    await expect(publishMany(times(10_001, event))).rejects.toMatchObject({
      code: status.OUT_OF_RANGE,
    });
  });

  it('are refused when they break a rule, and to callers without the scope', async () => {
    const { issuer, newUser } = world();
    const wrong = { ...eventOf(newUser()), type: 'made.up' };
    const refusal = await publishOne(wrong).catch((error: unknown) => error as ServiceError);
    expect(refusal).toMatchObject({ code: status.INVALID_ARGUMENT });
    const details = (refusal as ServiceError).metadata.get('grpc-status-details-bin')[0];
    // A field violation of google.rpc.BadRequest begins with its field: tag, length, name.
    expect(details?.toString()).toContain('\n\u0004type');

    const large = { ...eventOf(newUser()), dataJson: Buffer.alloc(262_145, ' ') };
    await expect(publishOne(large)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: expect.stringContaining('262144 bytes'),
    });
    const larger = { ...large, dataJson: Buffer.alloc(1_100_000, ' ') };
    await expect(publishOne(larger)).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED });

    const event = eventOf(newUser());
    const unscoped = issuer.serviceToken({ scope: 'tokens:read' });
    const elsewhere = issuer.serviceToken({ audience: 'integrations' });
    const user = issuer.userToken(newUser());
    await expect(publishOne(event, unscoped)).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
    });
    for (const token of [elsewhere, user]) {
      await expect(publishOne(event, token)).rejects.toMatchObject({
        code: status.UNAUTHENTICATED,
      });
    }
  });
});

describe('what happens in auth', () => {
  it('a revoked session is not let in any more', async () => {
    const { dispatcher, issuer, publishDomainEvent, newUser } = world();
    const userId = newUser();
    const sessionId = `ses_${randomUUID()}`;
    const authorization = `Bearer ${issuer.userToken(userId, { sessionId })}`;
    const list = () =>
      dispatcher.call(undefined, 'GET', '/api/webhooks', { headers: { authorization } });
    expect((await list()).status).toBe(200);

    const occurredAt = new Date();
    await publishDomainEvent('auth.events.v1', 'session.revoked', sessionId, {
      userId,
      sessionId,
      reason: 'logout',
      occurredAt,
    });
    await eventually(async () => expect((await list()).status).toBe(401));
  });

  it('a deleted user leaves nothing behind: no webhook, no delivery, no key', async () => {
    const { dispatcher, receiver, newWebhook, publish, publishDomainEvent, database } = world();
    const { userId, webhookId, path, url } = await newWebhook({ secret: 'mine' });
    const repeatable = {
      json: { url, events: ['draft.created'], enabled: true },
      headers: { 'idempotency-key': randomUUID() },
    };
    await dispatcher.call(userId, 'POST', '/api/webhooks/configure', repeatable);
    await publish(userId);
    await receiver.waitFor((one) => one.path === path);
    await publish(userId, { bytes: Buffer.from('{') });
    await dispatcher.call(userId, 'PATCH', `/api/webhooks/${webhookId}`, {
      json: { paused: true },
    });
    await publish(userId);
    const pending = `/api/webhooks/${webhookId}/deliveries?status=pending`;
    await eventually(async () => {
      const { body } = await dispatcher.call(userId, 'GET', pending);
      expect(body['items']).toHaveLength(1);
    });

    await publishDomainEvent('auth.events.v1', 'user.deleted', userId, {
      userId,
      occurredAt: new Date(),
    });
    await eventually(
      async () => {
        for (const table of HOLDING_USERS) {
          const { rowCount } = await database.pool.query(
            `select from ${table} where user_id = $1`,
            [userId],
          );
          expect([table, rowCount]).toEqual([table, 0]);
        }
      },
      { deadlineMs: 45_000 },
    );
    const keys = await database.pool.query('select wrapped from data_keys where subject = $1', [
      userId,
    ]);
    expect(keys.rows).toEqual([{ wrapped: null }]);
    const secrets = await database.pool.query('select from webhook_secrets where webhook_id = $1', [
      webhookId,
    ]);
    expect(secrets.rowCount).toBe(0);
    expect((await dispatcher.call(userId, 'GET', '/api/webhooks')).status).toBe(401);
  });
});

interface Killing {
  readonly victim: StartedDispatcher;
  /** Of the victim: whatever is done for it, is done there. */
  readonly newWebhook: (wish?: object) => Promise<NewWebhook>;
  /** After the victim is dead. */
  readonly goOn: () => Promise<void>;
}

function alone(): Killing {
  const { dispatcher, newWebhook } = world();
  return { victim: dispatcher, newWebhook, goOn: () => dispatcher.startAgain() };
}

function besideAnother(victim: StartedDispatcher): Killing {
  const { database, newWebhook } = world();
  return {
    victim,
    newWebhook: (wish) => webhookOf(victim, database, () => newWebhook(wish)),
    goOn: async () => {},
  };
}

/** Which webhook's event is to stand at which step. */
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
  const sent = new Map<NewWebhook, string>();
  const send = async (one: NewWebhook) =>
    sent.set(one, messageId('/tests', await publish(one.userId)));

  await database.lock('attempts');
  await send(sending);
  await receiver.waitFor(({ path }) => path === sending.path);
  await send(answered);
  await receiver.waitFor(({ path }) => path === answered.path);
  await database.waitedFor('attempts');
  await database.lock('webhook_secrets');
  await send(committed);
  await database.waitedFor('webhook_secrets');
  await database.lock('seen_events');
  await send(polled);
  await database.waitedFor('seen_events');
  return { sent, letGo: database.letGo };
}

const idsAt = ({ path }: NewWebhook) => [...idsOf(requestsAt(world().receiver, path))];

/** As the log has it: what nobody lived to write was no attempt. */
async function succeededAtOnce({ userId, webhookId }: NewWebhook) {
  const log = `/api/webhooks/${webhookId}/deliveries?status=succeeded`;
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
    /** What waited ends with the process that asked: otherwise it would still be carried out. */
    async letGo() {
      await pool.query(`select pg_terminate_backend(pid) from (${waiting}) w`);
      await client.query('rollback');
      client.release();
    },
  };
}

const HOLDING_USERS = [
  'webhooks',
  'pending',
  'deliveries',
  'seen_events',
  'dead_letters',
  'idempotency_keys',
];

const eventOf = (userId: string, id: string = randomUUID()) => ({
  id,
  source: 'assistant/tests',
  type: 'draft.created',
  userId,
  time: new Date(),
  dataJson: Buffer.from(`{ "n": ${Math.floor(Math.random() * 1_000)} }`),
});

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

type OutgoingEvent = ReturnType<typeof eventOf>;

async function publishOne(event: OutgoingEvent, token?: string): Promise<PublishResponse> {
  const { client, metadata } = await door(token);
  return new Promise<PublishResponse>((resolve, reject) => {
    client.publish(event, metadata, answer(client, resolve, reject));
  });
}

async function publishMany(events: readonly OutgoingEvent[]): Promise<PublishStreamResponse> {
  const { client, metadata } = await door();
  return new Promise<PublishStreamResponse>((resolve, reject) => {
    const call = client.publishStream(metadata, answer(client, resolve, reject));
    for (const event of events) call.write(event);
    call.end();
  });
}

async function door(token?: string) {
  const { dispatcher, issuer } = world();
  const client = new AssistantEventsServiceClient(
    dispatcher.grpcAddress,
    credentials.createInsecure(),
  );
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token ?? issuer.serviceToken()}`);
  return { client, metadata };
}

const answer =
  <Response>(
    client: AssistantEventsServiceClient,
    resolve: (response: Response) => void,
    reject: (error: Error) => void,
  ) =>
  (error: ServiceError | null, response: Response) => {
    client.close();
    if (error) reject(error);
    else resolve(response);
  };
