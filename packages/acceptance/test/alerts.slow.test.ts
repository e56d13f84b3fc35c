import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, signUp, worker } from '@junction/demo';
import { type EventProducer, kafkaProducer } from '@junction/producer';
import { apiAt, type Receiver, startReceiver } from '@junction/testing';
import { inDatabase, junction, MINUTE, standingStill, useAlerting } from './alerting.js';
import { writeWithKcat } from './kcat.js';

const { ada, becomes, product, trueOf } = useAlerting();
let receiver: Receiver;
let producer: EventProducer;

beforeAll(async () => {
  receiver = await startReceiver();
  const { kafka } = product().endpoints;
  producer = await kafkaProducer({ brokers: [kafka], source: '/alerts' });
});

afterAll(async () => {
  await producer?.close();
  await receiver?.close();
});

describe('the expression of an alert turns true when', () => {
  it('leases on shards belong to somebody who is gone: JunctionShardsUnowned, -DeliveriesLate, -FirstAttemptsLate', async () => {
    expect(await trueOf('JunctionShardsUnowned', 'JunctionDeliveriesLate')).toEqual([]);
    await configure('/late');
    await inDatabase(product(), 'webhooks', async (webhooks) => {
      await webhooks.query(
        `update shard_leases set owner = 'gone', epoch = epoch + 1, expires_at = now() + interval '1 hour'`,
      );
      await becomes('JunctionShardsUnowned', true);
      for (let n = 0; n < 5; n++) await publish();
      await becomes('JunctionDeliveriesLate', true);
      // The runbook gives this remedy.
      await webhooks.query(`update shard_leases set expires_at = now() where owner = 'gone'`);
    });
    await receiver.waitFor(({ path: asked }) => asked === '/late', MINUTE);
    await becomes('JunctionDeliveriesLate', false);
    await becomes('JunctionFirstAttemptsLate', true);
    await becomes('JunctionShardsUnowned', false);
  });

  it('receivers fail: JunctionMostAttemptsFail', async () => {
    expect(await trueOf('JunctionMostAttemptsFail')).toEqual([]);
    receiver.answer({ status: 500 });
    for (let n = 0; n < 20; n++) await configure(`/failing/${n}`);
    for (let n = 0; n < 3; n++) await publish();
    await becomes('JunctionMostAttemptsFail', true);
    receiver.answer({ status: 200 });
  });

  it('a producer sends what is not valid: JunctionDeadLettersGrow', async () => {
    expect(await trueOf('JunctionDeadLettersGrow')).toEqual([]);
    write('{"total_emails":-1}');
    await becomes('JunctionDeadLettersGrow', true);
  });

  it('a producer sends more in a batch than is decoded: JunctionBatchesUndecodable, until it is dropped', async () => {
    expect(await trueOf('JunctionBatchesUndecodable')).toEqual([]);
    const bytes = 17 * 1_024 * 1_024;
    write('x'.repeat(bytes), '-z', 'gzip', '-X', `message.max.bytes=${2 * bytes}`);
    await becomes('JunctionBatchesUndecodable', true);
    // The runbook gives this remedy.
    const which = ['-s', 'webhooks', '--reason', 'batch_undecodable'];
    await junction(product(), 'dlq', 'drop', ...which, '--note', 'tried');
    await becomes('JunctionBatchesUndecodable', false);
  });

  it('Kafka stands still: JunctionKafkaUnreachable, JunctionOutboxStuck', async () => {
    expect(await trueOf('JunctionKafkaUnreachable', 'JunctionOutboxStuck')).toEqual([]);
    await standingStill(product(), 'kafka', async () => {
      await configure('/while-kafka-stands-still');
      await becomes('JunctionKafkaUnreachable', true);
      await becomes('JunctionOutboxStuck', true);
    });
    await becomes('JunctionKafkaUnreachable', false);
    await becomes('JunctionOutboxStuck', false);
  });

  it('the provider does not answer: JunctionRefreshesFailing', async () => {
    expect(await trueOf('JunctionRefreshesFailing')).toEqual([]);
    const tokens = worker(product().endpoints);
    const people = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const one = await signUp(apiAt(product().endpoints.gateway));
        expect((await connect(one, 'mailbox', { identityProvider: 'acme' })).status).toBe(200);
        return one;
      }),
    );
    await standingStill(product(), 'provider-acme', async () => {
      for (const { id: userId } of people) {
        // Longer than any token lives, so that it is refreshed.
        await tokens
          .get({ userId, provider: 'mailbox', minLifetimeS: 86_400 })
          .catch(() => undefined);
      }
      await becomes('JunctionRefreshesFailing', true);
    });
    tokens.close();
  });

  it('a transaction stays open: JunctionReaderFenceOld', async () => {
    expect(await trueOf('JunctionReaderFenceOld')).toEqual([]);
    await inDatabase(product(), 'auth', async (auth) => {
      // A statement must run: Postgres would end a transaction of our roles that is idle.
      const held = auth.query('begin; select pg_current_xact_id(), pg_sleep(60); rollback');
      await becomes('JunctionReaderFenceOld', true);
      await held;
      await becomes('JunctionReaderFenceOld', false);
    });
  });

  it('a service stands still: JunctionServiceDown', async () => {
    expect(await trueOf('JunctionServiceDown')).toEqual([]);
    await standingStill(product(), 'webhook-dispatcher', () =>
      becomes('JunctionServiceDown', true),
    );
    await becomes('JunctionServiceDown', false);
  });

  it('auth stands still: JunctionAuthUnreachable', async () => {
    expect(await trueOf('JunctionAuthUnreachable')).toEqual([]);
    await standingStill(product(), 'auth', () => becomes('JunctionAuthUnreachable', true));
    await becomes('JunctionAuthUnreachable', false);
  });

  it('a key has been signing for a year: JunctionSigningKeyOld', async () => {
    expect(await trueOf('JunctionSigningKeyOld')).toEqual([]);
    await inDatabase(product(), 'webhooks', (webhooks) =>
      webhooks.query(
        `update webhook_keys set created_at = created_at - interval '1 year', signs_from = signs_from - interval '1 year'`,
      ),
    );
    // Keys are read at a start, and seldom later. The product starts the dispatcher again.
    process.kill(product().pids()['webhook-dispatcher'] ?? Number.NaN, 'SIGKILL');
    await becomes('JunctionSigningKeyOld', true);
  });
});

async function configure(hook: string): Promise<void> {
  const json = { url: receiver.url + hook, events: ['draft.created'], enabled: true };
  const { status } = await ada().call('POST', '/api/webhooks/configure', { json });
  expect(status).toBe(201);
}

const publish = () =>
  producer.publish({
    id: randomUUID(),
    type: 'draft.created',
    userId: ada().id,
    data: { draft_id: randomUUID() },
  });

const write = (lines: string, ...options: readonly string[]) =>
  writeWithKcat(product(), {
    userId: ada().id,
    type: 'inbox.organized',
    lines,
    options,
  });
