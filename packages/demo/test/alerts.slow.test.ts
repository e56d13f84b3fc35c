import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventProducer, kafkaProducer } from '@junction/producer';
import { eventually, type Receiver, startReceiver } from '@junction/testing';
import pg from 'pg';
import { parse } from 'yaml';
import { apiAt, type Product, startProduct, worker } from '../src/index.js';
import { connect, type Person, signUp } from '../src/person.js';
import { ROOT } from './manifests.js';
import { type Prometheus, startPrometheus } from './start-prometheus.js';

const MINUTE = 60_000;
/** Above what each alert wants something to last. */
const SEEN_WITHIN_MS = 3 * MINUTE;

const expressions = expressionsOf(
  readFileSync(path.join(ROOT, 'infra/observability/alerts.yaml'), 'utf8'),
);
let product: Product;
let prometheus: Prometheus;
let receiver: Receiver;
let producer: EventProducer;
let ada: Person;

beforeAll(async () => {
  receiver = await startReceiver();
  product = await startProduct(process.env);
  const { http, kafka, gateway } = product.endpoints;
  prometheus = await startPrometheus(Object.values(http).map((url) => new URL(url).host));
  producer = await kafkaProducer({ brokers: [kafka], source: '/alerts' });
  ada = await signUp(apiAt(gateway));
  // Every number that an alert looks at is there, before anything is broken.
  await becomes('JunctionNumbersMissing', false);
}, 5 * MINUTE);

afterAll(async () => {
  await producer?.close();
  await prometheus?.stop();
  expect(await product?.stop()).toBe(0);
  await receiver?.close();
}, MINUTE);

describe('the expression of an alert turns true when', () => {
  it(
    'leases on shards belong to somebody who is gone: JunctionShardsUnowned, JunctionDeliveriesLate',
    async () => {
      expect(await trueOf('JunctionShardsUnowned', 'JunctionDeliveriesLate')).toEqual([]);
      await configure('/late');
      await inDatabase('webhooks', async (webhooks) => {
        await webhooks.query(
          `update shard_leases set owner = 'gone', epoch = epoch + 1, expires_at = now() + interval '1 hour'`,
        );
        await becomes('JunctionShardsUnowned', true);
        await publish();
        await becomes('JunctionDeliveriesLate', true);
        // As the page says.
        await webhooks.query(`update shard_leases set expires_at = now() where owner = 'gone'`);
      });
      await receiver.waitFor(({ path: asked }) => asked === '/late', MINUTE);
      await becomes('JunctionDeliveriesLate', false);
      await becomes('JunctionShardsUnowned', false);
    },
    8 * MINUTE,
  );

  it(
    'receivers fail: JunctionMostAttemptsFail',
    async () => {
      expect(await trueOf('JunctionMostAttemptsFail')).toEqual([]);
      receiver.answer({ status: 500 });
      for (let n = 0; n < 20; n++) await configure(`/failing/${n}`);
      for (let n = 0; n < 3; n++) await publish();
      await becomes('JunctionMostAttemptsFail', true);
      receiver.answer({ status: 200 });
    },
    5 * MINUTE,
  );

  it(
    'a producer sends what is not valid: JunctionDeadLettersGrow',
    async () => {
      expect(await trueOf('JunctionDeadLettersGrow')).toEqual([]);
      writeRaw('{"total_emails":-1}');
      await becomes('JunctionDeadLettersGrow', true);
    },
    5 * MINUTE,
  );

  it(
    'Kafka stands still: JunctionOutboxStuck',
    async () => {
      expect(await trueOf('JunctionOutboxStuck')).toEqual([]);
      await standingStill('kafka', async () => {
        await configure('/while-kafka-stands-still');
        await becomes('JunctionOutboxStuck', true);
      });
      await becomes('JunctionOutboxStuck', false);
    },
    8 * MINUTE,
  );

  it(
    'the provider does not answer: JunctionRefreshesFailing',
    async () => {
      expect(await trueOf('JunctionRefreshesFailing')).toEqual([]);
      const { vend, close } = await worker(product.endpoints);
      const people = await Promise.all(
        Array.from({ length: 4 }, async () => {
          const one = await signUp(apiAt(product.endpoints.gateway));
          expect((await connect(one, 'mailbox', { identityProvider: 'acme' })).status).toBe(200);
          return one;
        }),
      );
      await standingStill('provider-acme', async () => {
        for (const { id: userId } of people) {
          // Longer than any token lives, so that it is refreshed.
          await vend({ userId, provider: 'mailbox', minLifetimeS: 86_400 }).catch(() => undefined);
        }
        await becomes('JunctionRefreshesFailing', true);
      });
      close();
    },
    8 * MINUTE,
  );

  it(
    'a transaction stays open: JunctionReaderFenceOld',
    async () => {
      expect(await trueOf('JunctionReaderFenceOld')).toEqual([]);
      await inDatabase('auth', async (auth) => {
        // At work, or Postgres would end it: our roles may not be idle in one.
        const held = auth.query('begin; select pg_current_xact_id(), pg_sleep(60); rollback');
        await becomes('JunctionReaderFenceOld', true);
        await held;
        await becomes('JunctionReaderFenceOld', false);
      });
    },
    5 * MINUTE,
  );

  it(
    'a service stands still: JunctionServiceDown',
    async () => {
      expect(await trueOf('JunctionServiceDown')).toEqual([]);
      await standingStill('webhook-dispatcher', () => becomes('JunctionServiceDown', true));
      await becomes('JunctionServiceDown', false);
    },
    5 * MINUTE,
  );

  it(
    'a key has been signing for a year: JunctionSigningKeyOld',
    async () => {
      expect(await trueOf('JunctionSigningKeyOld')).toEqual([]);
      await inDatabase('webhooks', (webhooks) =>
        webhooks.query(
          `update webhook_keys set created_at = created_at - interval '1 year', signs_from = signs_from - interval '1 year'`,
        ),
      );
      // Keys are read at a start, and seldom later. It is started again by itself.
      process.kill(product.pids()['webhook-dispatcher'] ?? Number.NaN, 'SIGKILL');
      await becomes('JunctionSigningKeyOld', true);
    },
    5 * MINUTE,
  );
});

async function isTrue(alert: string): Promise<boolean> {
  const expression = expressions.get(alert);
  if (expression === undefined) throw new Error(`There is no alert ${alert}.`);
  return (await prometheus.ask(expression)).length > 0;
}

/** Those of the alerts whose expression is true now. */
async function trueOf(...alerts: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    alerts.map(async (alert) => ((await isTrue(alert)) ? [alert] : [])),
  );
  return found.flat();
}

const becomes = (alert: string, wanted: boolean): Promise<void> =>
  eventually(
    async () => expect({ alert, isTrue: await isTrue(alert) }).toEqual({ alert, isTrue: wanted }),
    { deadlineMs: SEEN_WITHIN_MS, pollMs: 500 },
  );

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

/** What no producer of ours would send. */
function writeRaw(data: string): void {
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
    ['-P', '-b', product.endpoints.kafka, '-t', 'assistant.events.v1', '-k', ada.id, ...args],
    { input: data, encoding: 'utf8' },
  );
  expect({ status, stderr }).toMatchObject({ status: 0 });
}

/** While a process neither works nor ends: nobody starts it again, and its connections stay open. */
async function standingStill(name: string, work: () => Promise<void>): Promise<void> {
  const pids = product.pids();
  const { [name]: pid } = pids;
  if (pid === undefined) throw new Error(`Not ${name}, but: ${Object.keys(pids).join(', ')}`);
  process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

async function inDatabase(
  name: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const connectionString = product.databaseUrls.find((url) => url.endsWith(`/${name}`));
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function expressionsOf(text: string): ReadonlyMap<string, string> {
  const { groups } = parse(text) as {
    groups: readonly {
      readonly rules: readonly { readonly alert: string; readonly expr: string }[];
    }[];
  };
  return new Map(groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr])));
}
