import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventProducer, kafkaProducer } from '@junction/producer';
import { apiAt, type Receiver, startReceiver } from '@junction/testing';
import { type Product, startProduct, worker } from '../src/index.js';
import { connect, type Person, signUp } from '../src/person.js';
import { type Alerting, inDatabase, junction, standingStill, startAlerting } from './alerting.js';

const MINUTE = 60_000;
const TOPIC = 'assistant.events.v1';

let product: Product;
let alerting: Alerting;
let receiver: Receiver;
let producer: EventProducer;
let ada: Person;

beforeAll(async () => {
  receiver = await startReceiver();
  product = await startProduct(process.env);
  const { http, kafka, gateway } = product.endpoints;
  alerting = await startAlerting(Object.values(http));
  producer = await kafkaProducer({ brokers: [kafka], source: '/alerts' });
  ada = await signUp(apiAt(gateway));
  // Every number that an alert looks at is there, before anything is broken.
  await alerting.becomes('JunctionNumbersMissing', false);
}, 5 * MINUTE);

afterAll(async () => {
  await producer?.close();
  await alerting?.stop();
  expect(await product?.stop()).toBe(0);
  await receiver?.close();
}, MINUTE);

describe('the expression of an alert turns true when', () => {
  it(
    'leases on shards belong to somebody who is gone: JunctionShardsUnowned, JunctionDeliveriesLate',
    async () => {
      expect(await alerting.trueOf('JunctionShardsUnowned', 'JunctionDeliveriesLate')).toEqual([]);
      await configure('/late');
      await inDatabase(product, 'webhooks', async (webhooks) => {
        await webhooks.query(
          `update shard_leases set owner = 'gone', epoch = epoch + 1, expires_at = now() + interval '1 hour'`,
        );
        await alerting.becomes('JunctionShardsUnowned', true);
        await publish();
        await alerting.becomes('JunctionDeliveriesLate', true);
        // The runbook gives this remedy.
        await webhooks.query(`update shard_leases set expires_at = now() where owner = 'gone'`);
      });
      await receiver.waitFor(({ path: asked }) => asked === '/late', MINUTE);
      await alerting.becomes('JunctionDeliveriesLate', false);
      await alerting.becomes('JunctionShardsUnowned', false);
    },
    8 * MINUTE,
  );

  it(
    'receivers fail: JunctionMostAttemptsFail',
    async () => {
      expect(await alerting.trueOf('JunctionMostAttemptsFail')).toEqual([]);
      receiver.answer({ status: 500 });
      for (let n = 0; n < 20; n++) await configure(`/failing/${n}`);
      for (let n = 0; n < 3; n++) await publish();
      await alerting.becomes('JunctionMostAttemptsFail', true);
      receiver.answer({ status: 200 });
    },
    5 * MINUTE,
  );

  it(
    'a producer sends what is not valid: JunctionDeadLettersGrow',
    async () => {
      expect(await alerting.trueOf('JunctionDeadLettersGrow')).toEqual([]);
      writeRaw('{"total_emails":-1}');
      await alerting.becomes('JunctionDeadLettersGrow', true);
    },
    5 * MINUTE,
  );

  it(
    'a producer sends more in a batch than is decoded: JunctionBatchesUndecodable, until it is dropped',
    async () => {
      expect(await alerting.trueOf('JunctionBatchesUndecodable')).toEqual([]);
      const bytes = 17 * 1_024 * 1_024;
      writeRaw('x'.repeat(bytes), '-z', 'gzip', '-X', `message.max.bytes=${2 * bytes}`);
      await alerting.becomes('JunctionBatchesUndecodable', true);
      // The runbook gives this remedy.
      const which = ['-s', 'webhooks', '--reason', 'batch_undecodable'];
      await junction(product, 'dlq', 'drop', ...which, '--note', 'tried');
      await alerting.becomes('JunctionBatchesUndecodable', false);
    },
    8 * MINUTE,
  );

  it(
    'Kafka stands still: JunctionOutboxStuck',
    async () => {
      expect(await alerting.trueOf('JunctionOutboxStuck')).toEqual([]);
      await standingStill(product, 'kafka', async () => {
        await configure('/while-kafka-stands-still');
        await alerting.becomes('JunctionOutboxStuck', true);
      });
      await alerting.becomes('JunctionOutboxStuck', false);
    },
    8 * MINUTE,
  );

  it(
    'the provider does not answer: JunctionRefreshesFailing',
    async () => {
      expect(await alerting.trueOf('JunctionRefreshesFailing')).toEqual([]);
      const { vend, close } = await worker(product.endpoints);
      const people = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const one = await signUp(apiAt(product.endpoints.gateway));
          expect((await connect(one, 'mailbox', { identityProvider: 'acme' })).status).toBe(200);
          return one;
        }),
      );
      await standingStill(product, 'provider-acme', async () => {
        for (const { id: userId } of people) {
          // Longer than any token lives, so that it is refreshed.
          await vend({ userId, provider: 'mailbox', minLifetimeS: 86_400 }).catch(() => undefined);
        }
        await alerting.becomes('JunctionRefreshesFailing', true);
      });
      close();
    },
    8 * MINUTE,
  );

  it(
    'a transaction stays open: JunctionReaderFenceOld',
    async () => {
      expect(await alerting.trueOf('JunctionReaderFenceOld')).toEqual([]);
      await inDatabase(product, 'auth', async (auth) => {
        // A statement must run: Postgres would end a transaction of our roles that is idle.
        const held = auth.query('begin; select pg_current_xact_id(), pg_sleep(60); rollback');
        await alerting.becomes('JunctionReaderFenceOld', true);
        await held;
        await alerting.becomes('JunctionReaderFenceOld', false);
      });
    },
    5 * MINUTE,
  );

  it(
    'a service stands still: JunctionServiceDown',
    async () => {
      expect(await alerting.trueOf('JunctionServiceDown')).toEqual([]);
      await standingStill(product, 'webhook-dispatcher', () =>
        alerting.becomes('JunctionServiceDown', true),
      );
      await alerting.becomes('JunctionServiceDown', false);
    },
    5 * MINUTE,
  );

  it(
    'a key has been signing for a year: JunctionSigningKeyOld',
    async () => {
      expect(await alerting.trueOf('JunctionSigningKeyOld')).toEqual([]);
      await inDatabase(product, 'webhooks', (webhooks) =>
        webhooks.query(
          `update webhook_keys set created_at = created_at - interval '1 year', signs_from = signs_from - interval '1 year'`,
        ),
      );
      // Keys are read at a start, and seldom later. The product starts the dispatcher again.
      process.kill(product.pids()['webhook-dispatcher'] ?? Number.NaN, 'SIGKILL');
      await alerting.becomes('JunctionSigningKeyOld', true);
    },
    5 * MINUTE,
  );
});

async function configure(hook: string): Promise<void> {
  const json = { url: receiver.url + hook, events: ['draft.created'], enabled: true };
  const { status } = await ada.call('POST', '/api/webhooks/configure', { json });
  expect(status).toBe(201);
}

const publish = () =>
  producer.publish({
    id: randomUUID(),
    type: 'draft.created',
    userId: ada.id,
    data: { draft_id: randomUUID() },
  });

/** Writes a record that no producer of ours would send. */
function writeRaw(data: string, ...options: readonly string[]): void {
  const headers = {
    ce_specversion: '1.0',
    ce_id: randomUUID(),
    ce_source: '/kcat',
    ce_type: 'inbox.organized',
    ce_subject: ada.id,
    'content-type': 'application/json',
  };
  const args = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const { status, stderr } = spawnSync(
    'kcat',
    ['-P', '-b', product.endpoints.kafka, '-t', TOPIC, '-k', ada.id, ...args, ...options],
    { input: data, encoding: 'utf8' },
  );
  expect({ status, stderr }).toMatchObject({ status: 0 });
}
