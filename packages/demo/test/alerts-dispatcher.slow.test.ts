import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deleteRecords } from '@junction/local-stack';
import { freePort, type GuardedProcess, spawnGuarded } from '@junction/local-stack/process';
import { apiAt, eventually } from '@junction/testing';
import { type Person, type Product, startProduct } from '../src/index.js';
import { signUp } from '../src/person.js';
import { type Alerting, junction, standingStill, startAlerting } from './alerting.js';

const MINUTE = 60_000;
const DISPATCHER = 'webhook-dispatcher';
const TOPIC = 'assistant.events.v1';
const CONSUMER = 'webhook-dispatcher.assistant';
/** Far above the 10,000 of the alert: some are handled before the first look. */
const BURST = 100_000;
/** Twice as many as the alert takes: each round has 24 shards lost and gained, there and back. */
const ROUNDS_MAX = 12;
const PATIENT = { deadlineMs: MINUTE, pollMs: 200 };

let product: Product;
let alerting: Alerting;
let other: Replica;
let ada: Person;

beforeAll(async () => {
  product = await startProduct(process.env);
  other = await secondReplica();
  alerting = await startAlerting([...Object.values(product.endpoints.http), other.url]);
  ada = await signUp(apiAt(product.endpoints.gateway));
  await alerting.becomes('JunctionNumbersMissing', false);
}, 5 * MINUTE);

afterAll(async () => {
  await alerting?.stop();
  await other?.process.stop();
  expect(await product?.stop()).toBe(0);
}, MINUTE);

describe('the expression of an alert turns true when', () => {
  it(
    'a replica stands still again and again: JunctionLeasesFlap',
    async () => {
      expect(await alerting.trueOf('JunctionLeasesFlap')).toEqual([]);
      for (let round = 0; round < ROUNDS_MAX; round++) {
        if ((await alerting.trueOf('JunctionLeasesFlap')).length > 0) break;
        await standingStill(product, DISPATCHER, () => otherHas((shards) => shards === 48));
        await otherHas((shards) => shards > 0 && shards < 48);
      }
      await alerting.becomes('JunctionLeasesFlap', true);
    },
    8 * MINUTE,
  );

  it(
    'a burst comes: JunctionConsumerBehind, until it is drained',
    async () => {
      expect(await alerting.trueOf('JunctionConsumerBehind')).toEqual([]);
      write(BURST);
      await alerting.becomes('JunctionConsumerBehind', true);
      await alerting.becomes('JunctionConsumerBehind', false);
    },
    5 * MINUTE,
  );

  it(
    'records are deleted before they are read: JunctionConsumerStopped',
    async () => {
      expect(await alerting.trueOf('JunctionConsumerStopped')).toEqual([]);
      await other.process.stop();
      const { [DISPATCHER]: pid = Number.NaN } = product.pids();
      process.kill(pid, 'SIGSTOP');
      write(10);
      await deleteRecords(product.endpoints.kafka, TOPIC);
      // The product starts the dispatcher again.
      process.kill(pid, 'SIGKILL');
      await alerting.becomes('JunctionConsumerStopped', true);

      // The runbook gives this remedy.
      const at = [CONSUMER, TOPIC, String(await lostPartition()), '--beginning'];
      await junction(product, 'consumers', 'reset', '-s', 'webhooks', ...at);
      await alerting.becomes('JunctionConsumerStopped', false);
    },
    5 * MINUTE,
  );
});

/** The one whose offset is lost, once its consumer is in its group again. */
const lostPartition = (): Promise<number | undefined> =>
  eventually(async () => {
    const listed = await junction(product, 'consumers', 'list', '-s', 'webhooks', '--json');
    const lost = listed
      .split('\n')
      .filter((line) => line.includes('"offset_lost"'))
      .map((line) => JSON.parse(line) as { readonly partition: number });
    expect(lost).toHaveLength(1);
    return lost[0]?.partition;
  }, PATIENT);

interface Replica {
  readonly url: string;
  readonly process: GuardedProcess;
}

/** Starts a second replica of the dispatcher, with the settings of the first. */
async function secondReplica(): Promise<Replica> {
  const { [DISPATCHER]: pid } = product.pids();
  const zeroEnded = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  const env = Object.fromEntries(zeroEnded.map((line) => line.split(/=(.*)/s, 2)));
  const [http, grpc] = [await freePort(), await freePort()];
  const child = spawnGuarded({
    command: process.execPath,
    args: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, -1),
    env: { ...env, HTTP_PORT: String(http), GRPC_PORT: String(grpc) },
    log: path.join(product.dataDir, 'logs', `${DISPATCHER}-2.log`),
    stopSignal: 'SIGTERM',
    graceMs: 30_000,
  });
  return { url: `http://127.0.0.1:${http}`, process: child };
}

/** Waits until the second replica has so many shards. */
const otherHas = (wanted: (shards: number) => boolean): Promise<void> =>
  eventually(async () => {
    const page = await (await fetch(`${other.url}/internal/metrics`)).text();
    const owned = Number(/^junction_shards_owned{.*} (\d+)$/m.exec(page)?.[1]);
    if (!wanted(owned)) throw new Error(`The second replica has ${owned} shards.`);
  }, PATIENT);

/** Writes one event several times, as a producer does that repeats itself. */
function write(times: number): void {
  const headers = {
    ce_specversion: '1.0',
    ce_id: randomUUID(),
    ce_source: '/kcat',
    ce_type: 'draft.created',
    ce_subject: ada.id,
    'content-type': 'application/json',
  };
  const args = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const { status, stderr } = spawnSync(
    'kcat',
    ['-P', '-b', product.endpoints.kafka, '-t', TOPIC, '-k', ada.id, ...args],
    { input: `{"draft_id":"${randomUUID()}"}\n`.repeat(times), encoding: 'utf8' },
  );
  expect({ status, stderr }).toMatchObject({ status: 0 });
}
