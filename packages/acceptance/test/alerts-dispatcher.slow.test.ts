import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Product } from '@junction/demo';
import { deleteRecords } from '@junction/local-stack';
import { freePort, type GuardedProcess, spawnGuarded } from '@junction/local-stack/process';
import { eventually } from '@junction/testing';
import { junction, MINUTE, standingStill, useAlerting } from './alerting.js';
import { TOPIC, writeWithKcat } from './kcat.js';

const DISPATCHER = 'webhook-dispatcher';
const CONSUMER = 'webhook-dispatcher.assistant';
/** Far above the 10,000 of the alert: some are handled before the first look. */
const BURST = 100_000;
/** Twice as many as the alert takes: each round has 24 shards lost and gained, there and back. */
const ROUNDS_MAX = 12;
const PATIENT = { deadlineMs: MINUTE, pollMs: 200 };

let other: Replica;
afterAll(async () => other?.process.stop());

const { ada, becomes, product, trueOf } = useAlerting(1, async (product) => {
  other = await secondReplica(product);
  return [other.url];
});

describe('the expression of an alert turns true when', () => {
  it('a replica stands still again and again: JunctionLeasesFlap', async () => {
    expect(await trueOf('JunctionLeasesFlap')).toEqual([]);
    for (let round = 0; round < ROUNDS_MAX; round++) {
      if ((await trueOf('JunctionLeasesFlap')).length > 0) break;
      await standingStill(product(), DISPATCHER, () => otherHas((shards) => shards === 48));
      await otherHas((shards) => shards > 0 && shards < 48);
    }
    await becomes('JunctionLeasesFlap', true);
  });

  it('a burst comes: JunctionConsumerBehind, until it is drained', async () => {
    expect(await trueOf('JunctionConsumerBehind')).toEqual([]);
    write(BURST);
    await becomes('JunctionConsumerBehind', true);
    await becomes('JunctionConsumerBehind', false);
  });

  it('records are deleted before they are read: JunctionConsumerStopped', async () => {
    expect(await trueOf('JunctionConsumerStopped')).toEqual([]);
    await other.process.stop();
    const { [DISPATCHER]: pid = Number.NaN } = product().pids();
    process.kill(pid, 'SIGSTOP');
    write(10);
    await deleteRecords(product().endpoints.kafka, TOPIC);
    // The product starts the dispatcher again.
    process.kill(pid, 'SIGKILL');
    await becomes('JunctionConsumerStopped', true);

    // The runbook gives this remedy.
    const at = [CONSUMER, TOPIC, String(await lostPartition()), '--beginning'];
    await junction(product(), 'consumers', 'reset', '-s', 'webhooks', ...at);
    await becomes('JunctionConsumerStopped', false);
  });
});

/** The one whose offset is lost, once its consumer is in its group again. */
const lostPartition = (): Promise<number | undefined> =>
  eventually(async () => {
    const listed = await junction(product(), 'consumers', 'list', '-s', 'webhooks', '--json');
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
async function secondReplica(product: Product): Promise<Replica> {
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
const write = (times: number) =>
  writeWithKcat(product(), {
    userId: ada().id,
    type: 'draft.created',
    lines: `{"draft_id":"${randomUUID()}"}\n`.repeat(times),
  });
