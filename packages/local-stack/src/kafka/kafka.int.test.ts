import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Kafka, logLevel } from 'kafkajs';
import { defaultCacheDir, faultIn } from '../preflight/kafka.mjs';
import type { KafkaServer } from '../process/running-server.js';
import { deleteTopics, kafkaAnswers } from './admin.js';
import { startKafka } from './kafka.js';
import { kafkaRuntime } from './runtime.js';

let folder: string;
let server: KafkaServer;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'kafka-'));
  server = await startKafka({ dataDir: folder });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

it('a Kafka of our own has its topics, and can be asked, again after a SIGKILL', async () => {
  const admin = () => new Kafka({ brokers: [server.brokers], logLevel: logLevel.NOTHING }).admin();
  const first = admin();
  await first.createTopics({ topics: [{ topic: 'kept.v1' }] });
  await first.disconnect();
  process.kill(server.pid ?? NaN, 'SIGKILL');
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect(await kafkaAnswers(server.brokers)).toBe(false);

  const { brokers, port } = server;
  server = await startKafka({ dataDir: folder, port });
  expect(server.brokers).toBe(brokers);
  const second = admin();
  expect(await second.listTopics()).toContain('kept.v1');
  await deleteTopics(brokers, 'kept.');
  expect(await second.listTopics()).toEqual([]);
  await second.disconnect();
});

describe('the requirements of Kafka', () => {
  it('do not include Maven once the jars are there', async () => {
    const message = await refusal({ PATH: '/nowhere' }, defaultCacheDir(process.env));
    expect(message).toContain('Java 17 or newer was not found');
    expect(message).not.toContain('Maven (mvn)');
  });

  it('include a newer Java than the one that was found', async () => {
    const PATH = programs({ java: 'java.specification.version = 1.8' });
    expect(await refusal({ PATH })).toContain(`${PATH}/java is Java 8`);
  });

  it('include the jars of the committed list, byte for byte', async () => {
    const cached = path.join(defaultCacheDir(process.env), 'kafka-4.3.1', 'libs');
    const jars = path.join(folder, 'jars');
    cpSync(cached, jars, { recursive: true });
    expect(await faultIn(jars)).toBeUndefined();

    writeFileSync(path.join(jars, 'slf4j-api-1.7.36.jar'), 'something else');
    expect(await faultIn(jars)).toBe('slf4j-api-1.7.36.jar has another SHA-256');
    rmSync(path.join(jars, 'slf4j-api-1.7.36.jar'));
    expect(await faultIn(jars)).toBe('slf4j-api-1.7.36.jar is missing');
    writeFileSync(path.join(jars, 'added.jar'), '');
    expect(await faultIn(jars)).toBe('added.jar is not listed');
  });
});

const emptyCache = () => mkdtempSync(path.join(folder, 'cache-'));

async function refusal(env: NodeJS.ProcessEnv, cacheDir = emptyCache()): Promise<string> {
  const said = () => undefined;
  return kafkaRuntime({ cacheDir, env, say: said }).then(
    () => 'not refused',
    (error: Error) => error.message,
  );
}

/** A folder of programs that print something. */
function programs(words: Readonly<Record<string, string>>): string {
  const bin = mkdtempSync(path.join(folder, 'bin-'));
  mkdirSync(bin, { recursive: true });
  for (const [name, text] of Object.entries(words)) {
    writeFileSync(path.join(bin, name), `#!/bin/sh\necho '${text}' >&2\n`, { mode: 0o755 });
  }
  return bin;
}
