import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { OutRecord } from '@junction/messaging';
import { until } from '../clock.js';
import { PROBE, type Used } from '../service-process.js';
import { ask, ended } from './ask.js';
import type { World } from './world.js';

const PROGRAM = path.join(import.meta.dirname, 'send-first-process.js');
const PARTITIONS = 12;
const WRITTEN_WITHIN_MS = 10_000;

/**
 * Returns the world with the least program that does the same, which sends to this server, in the dispatcher's place.
 * The program has a topic and tables of its own, in the same Kafka and database.
 */
export async function sendFirstWorld(world: World, url: string) {
  const { admin, brokers, node, open, pool, producer, authorityFile, run } = world;
  const topic = `bench.send-first.${randomUUID()}`;
  await admin.ensureTopics([{ name: topic, partitions: PARTITIONS, retentionMs: -1 }]);
  await pool.query('drop table if exists send_first_deliveries, send_first_offsets');
  const database = new URL(pool.options.connectionString ?? '');
  const env = {
    PGHOST: database.hostname,
    PGPORT: database.port,
    PGUSER: database.username,
    PGPASSWORD: database.password,
    PGDATABASE: database.pathname.slice(1),
    NODE_EXTRA_CA_CERTS: authorityFile,
  };
  let published = 0;
  const areAllWritten = async () => {
    const { rows } = await pool.query<{ count: number }>(
      'select count(*)::integer as count from send_first_deliveries',
    );
    return rows[0]?.count === published ? true : undefined;
  };
  return {
    ...world,
    producer: {
      ...producer,
      async sendBatch(records: readonly OutRecord[]) {
        published += records.length;
        await producer.sendBatch(records.map((record) => ({ ...record, topic })));
      },
    },
    async start() {
      const args = ['--import', PROBE, PROGRAM, url, brokers.join(','), topic];
      const child = spawn(node, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      const end = (signal: NodeJS.Signals) => ended(child, () => child.kill(signal));
      open(() => end('SIGKILL'));
      return { used: () => ask<Used>(child, {}), end };
    },
    async settled() {
      const patience = { deadlineMs: WRITTEN_WITHIN_MS, signal: run.signal };
      await until('Writing what send-first delivered', areAllWritten, patience);
    },
  };
}
