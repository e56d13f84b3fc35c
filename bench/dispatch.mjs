#!/usr/bin/env node
// npm run bench -- dispatch: what the dispatcher does on this machine, beside a bare loop of the same
// run. Names of parts after it run only those. Writes bench/results/dispatch.json, talks to 127.0.0.1
// only and ends what it starts.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DATA_BYTES, fill, newUsers, trickle } from './dispatch/events.mjs';
import { nowMs, openWorld, until } from './dispatch/world.mjs';

const run = promisify(execFile);
const BARE = path.join(import.meta.dirname, 'dispatch/bare.mjs');
const RESULT = path.join(import.meta.dirname, 'results/dispatch.json');
/** Of the envelope: a bare body is as long as one of ours. */
const ENVELOPE_BYTES = 190;
const BARE_POSTS = 60_000;
/** Fewer for a quick look. */
const FILLED = Number(process.env.BENCH_EVENTS ?? 40_000);
const WARM = 4_000;
const USERS = 50;
const FAN_OUT = 50;
const PENDING = 1_000_000;
const FILLED_MAX_MS = 90_000;
const RECOVERY_MAX_MS = 60_000;

const say = (line) => console.error(line);
const perSecond = (count, ms) => count / (ms / 1_000);
const atPath = (url, userId) => ({ userId, url: `${url}/hooks/${randomUUID()}` });

function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function bare({ receiver }) {
  const bodyBytes = DATA_BYTES + ENVELOPE_BYTES;
  const { stdout } = await run(process.execPath, [BARE, receiver.plainUrl, BARE_POSTS, bodyBytes]);
  return JSON.parse(stdout);
}

/** Webhooks for new users; gives the users. */
async function usersAt(world, url, count, each = 1) {
  const dispatcher = await world.startDispatcher();
  const users = newUsers(count);
  const wishes = users.flatMap((userId) => Array.from({ length: each }, () => atPath(url, userId)));
  await world.configure(dispatcher, wishes);
  await dispatcher.end('SIGTERM');
  return users;
}

/**
 * Fills the topic while no dispatcher runs, then lets one empty it. Measured from the first request on:
 * the rest of the first second belongs to the start.
 */
async function emptied(world, users, events, deliveries) {
  const { receiver, producer } = world;
  await fill(producer, users, events);
  await receiver.reset();
  const dispatcher = await world.startDispatcher();
  const first = await receiver.received(1, FILLED_MAX_MS);
  const before = await dispatcher.used();
  const last = await receiver.received(deliveries, FILLED_MAX_MS);
  const after = await dispatcher.used();
  await settled(world);
  await dispatcher.end('SIGTERM');
  const counted = deliveries - first.count;
  return {
    perS: perSecond(deliveries, last.lastMs - last.firstMs),
    cpuPer10k: ((after.cpuS - before.cpuS) / counted) * 10_000,
    sqlPerDelivery: (after.statements - before.statements) / counted,
  };
}

/** Nothing waits for an attempt now. */
const settled = ({ pool }) =>
  until(
    'Writing what was delivered',
    async () => {
      const { rows } = await pool.query('select from pending where next_at <= now() limit 1');
      return rows.length === 0;
    },
    FILLED_MAX_MS,
  );

async function throughput(world) {
  const users = await usersAt(world, world.receiver.plainUrl, USERS);
  await emptied(world, users, WARM, WARM);
  const before = await bare(world);
  const bytesBefore = await databaseBytes(world);
  const { perS, cpuPer10k, sqlPerDelivery } = await emptied(world, users, FILLED, FILLED);
  const bytes = (await databaseBytes(world)) - bytesBefore;
  const after = await bare(world);
  const bothBare = (before.perS + after.perS) / 2;
  return {
    bare_per_s: bothBare,
    deliveries_per_s: perS,
    ratio: perS / bothBare,
    cpu_s_per_10k: cpuPer10k,
    bare_cpu_s_per_10k: (before.cpuPer10k + after.cpuPer10k) / 2,
    sql_per_delivery: sqlPerDelivery,
    bytes_per_delivery: bytes / FILLED,
  };
}

async function databaseBytes({ pool }) {
  const { rows } = await pool.query('select pg_database_size(current_database())::float8 as bytes');
  return rows[0].bytes;
}

/** The same as throughput, with something else about it. */
async function variations(world, { deliveries_per_s: plain }) {
  const half = FILLED / 2;
  const [tls, many, fan] = [
    await usersAt(world, world.receiver.tlsUrl, USERS),
    await usersAt(world, world.receiver.plainUrl, 1_000),
    await usersAt(world, world.receiver.plainUrl, USERS / 5, FAN_OUT),
  ];
  const overTls = await emptied(world, tls, half, half);
  const ofMany = await emptied(world, many, half, half);
  const fannedOut = await emptied(world, fan, half / FAN_OUT, half);
  await addPending(world);
  const users = await usersAt(world, world.receiver.plainUrl, USERS);
  const beside = await emptied(world, users, half, half);
  await world.pool.query('truncate pending');
  return {
    tls_ratio: overTls.perS / plain,
    thousand_users_per_s: ofMany.perS,
    fanout_per_s: fannedOut.perS,
    backlog_ratio: beside.perS / plain,
  };
}

/** A million deliveries that failed before and are tried again later. */
async function addPending({ pool }) {
  await pool.query(
    `insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
     select gen_random_uuid(), current_date, md5((n % 1000)::text)::uuid, md5((n % 1000)::text)::uuid,
            n % 48, 4, 'retrying', now() + interval '1 hour' + n * interval '50 ms'
       from generate_series(1, $1::int) n`,
    [PENDING],
  );
  await pool.query('analyze pending');
}

async function latencyAt(world, users, rate, seconds) {
  await world.receiver.reset({ measure: true });
  const sent = await trickle(world.producer, users, rate, seconds);
  const { latenciesMs } = await world.receiver.received(sent, RECOVERY_MAX_MS);
  return { p50: quantile(latenciesMs, 0.5), p99: quantile(latenciesMs, 0.99) };
}

/** Latency at two rates, then five minutes in all, in which memory may not grow; 1,000 webhooks. */
async function steady(world) {
  const MINUTES = 5;
  const users = await usersAt(world, world.receiver.plainUrl, 1_000);
  const dispatcher = await world.startDispatcher();
  await latencyAt(world, users, 500, 4);
  const samples = [];
  const beganMs = nowMs();
  const sample = async () => samples.push([nowMs() - beganMs, (await dispatcher.used()).rssMb]);
  const slow = await latencyAt(world, users, 200, 15);
  const fast = await latencyAt(world, users, 1_000, 15);
  while (nowMs() - beganMs < MINUTES * 60_000) {
    await sample();
    await latencyAt(world, users, 200, 5);
  }
  await dispatcher.end('SIGTERM');
  return {
    p50_200_ms: slow.p50,
    p99_200_ms: slow.p99,
    p50_1000_ms: fast.p50,
    p99_1000_ms: fast.p99,
    rss_mb: Math.max(...samples.map(([, mb]) => mb)),
    rss_slope_mb_per_min: slopePerMinute(samples),
  };
}

/** Least squares over [ms, value]. */
function slopePerMinute(samples) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(samples.map(([ms]) => ms)), mean(samples.map(([, value]) => value))];
  const shared = samples.map(([ms, value]) => (ms - x) * (value - y));
  const spread = samples.map(([ms]) => (ms - x) ** 2);
  return (mean(shared) / mean(spread)) * 60_000;
}

/** 150/s to endpoints that answer, alone and beside as much to endpoints that never do. */
async function neighbours(world) {
  const RATE = 150;
  const SECONDS = 15;
  const healthy = await usersAt(world, world.receiver.plainUrl, USERS);
  const hung = await usersAt(world, world.receiver.hungUrl, USERS);
  const dispatcher = await world.startDispatcher();
  await latencyAt(world, healthy, RATE, 4);
  const alone = await latencyAt(world, healthy, RATE, SECONDS);
  const hanging = trickle(world.producer, hung, RATE, SECONDS + 10);
  await sleep(3_000);
  const beside = await latencyAt(world, healthy, RATE, SECONDS);
  await hanging;
  await dispatcher.end('SIGKILL');
  await world.pool.query('truncate pending');
  return {
    alone_p50_ms: alone.p50,
    alone_p99_ms: alone.p99,
    hung_neighbour_p50_ms: beside.p50,
    hung_neighbour_p99_ms: beside.p99,
    hung_neighbour_ratio: beside.p99 / alone.p99,
  };
}

/** Kills a server, keeps it away for some seconds, and sees how soon after its return is delivered. */
async function recovery(world) {
  const AWAY_MS = 5_000;
  const users = await usersAt(world, world.receiver.plainUrl, 1);
  const dispatcher = await world.startDispatcher();
  await latencyAt(world, users, 20, 2);
  const { backends, receiver, producer } = world;

  const backAfter = async (name) => {
    process.kill(backends.pids()[name], 'SIGKILL');
    await sleep(AWAY_MS);
    await backends.restart(name);
    const backMs = nowMs();
    await receiver.reset();
    await until(
      'Publishing again',
      () =>
        fill(producer, users, 1).then(
          () => true,
          () => false,
        ),
      RECOVERY_MAX_MS,
      50,
    );
    const { firstMs } = await receiver.received(1, RECOVERY_MAX_MS);
    return (firstMs - backMs) / 1_000;
  };
  const kafka = await backAfter('kafka');
  const postgres = await backAfter('postgres');
  await dispatcher.end('SIGTERM');
  return { recovery_kafka_s: kafka, recovery_postgres_s: postgres };
}

/** Two replicas, one killed: how long until an event of every shard has come through. */
async function takeover(world) {
  const users = await usersAt(world, world.receiver.plainUrl, 200);
  const [first, second] = [await world.startDispatcher(), await world.startDispatcher()];
  await until(
    'Sharing the shards',
    async () => {
      const { rows } = await world.pool.query(
        'select from shard_leases where owner is not null and expires_at > now() group by owner having count(*) > 10',
      );
      return rows.length === 2;
    },
    RECOVERY_MAX_MS,
  );
  await latencyAt(world, users, 200, 2);
  await world.receiver.reset({ measure: true });
  const killedMs = nowMs();
  await second.end('SIGKILL');
  await fill(world.producer, users, users.length);
  const { lastMs } = await until(
    'Taking over',
    async () => {
      const seen = await world.receiver.seen();
      return seen.distinct >= users.length && seen;
    },
    RECOVERY_MAX_MS,
  );
  await first.end('SIGTERM');
  return { takeover_s: (lastMs - killedMs) / 1_000 };
}

const PARTS = { throughput, variations, neighbours, recovery, takeover, steady };

const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : Object.keys(PARTS);
const figures = {};
const world = await openWorld(say);
try {
  for (const name of names) {
    say(`${name} …`);
    Object.assign(figures, await PARTS[name](world, figures));
  }
} finally {
  await world.close();
}

const rounded = Object.fromEntries(
  Object.entries(figures).map(([name, value]) => [name, Number(value.toPrecision(4))]),
);
const result = {
  what: 'the dispatcher on this machine, everything on 127.0.0.1; see docs/benchmarks.md',
  machine: {
    cpus: os.cpus().length,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    node: process.version,
    load: Number(os.loadavg()[0].toFixed(1)),
  },
  figures: rounded,
};
console.table(rounded);
if (asked.length === 0) writeFileSync(RESULT, `${JSON.stringify(result, null, 2)}\n`);
