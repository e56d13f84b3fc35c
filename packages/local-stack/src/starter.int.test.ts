import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startBackends } from './backends.js';
import { deleteData } from './delete-data.js';
import { kafkaAnswers } from './kafka/admin.js';
import { answersQueries } from './postgres/answers.js';
import type { ProcessMark } from './preflight/process-identity.mjs';
import { isAlive, markOf, readMark } from './preflight/process-identity.mjs';

const STACK = path.join(import.meta.dirname, '..', 'bin', 'stack.mjs');
const GONE_MS = 45_000;

let dataDir: string;
beforeAll(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'starter-'));
  chmodSync(dataDir, 0o755);
});
afterAll(() => deleteData(dataDir));

describe('a program that starts Postgres and Kafka', () => {
  it('leaves no process when it is killed, keeps others off its data, and can start again', async () => {
    const starter = stack(['--data', dataDir, '--ephemeral'], process.env);
    const variables = await firstLines(starter, 2);
    expect(variables.join('\n')).toMatch(/^JUNCTION_TEST_POSTGRES_URL=postgres:.*\nKAFKA_BROKERS=/);
    const servers = marksOf(dataDir);
    expect(servers.map(isAlive)).toEqual([true, true]);

    await expect(startBackends({ ...embedded(), say: () => undefined })).rejects.toThrow(
      `in use by process ${starter.pid}`,
    );
    expect(servers.map(isAlive)).toEqual([true, true]);

    starter.kill('SIGKILL');
    await gone(servers);

    // This start comes at once: it waits for the processes of the killed one, and takes over the lock.
    const backends = await startBackends({ ...embedded(), say: () => undefined });
    expect(await answersQueries(backends.postgres?.adminUrl ?? '')).toBe(true);
    expect(await kafkaAnswers(backends.kafkaBrokers)).toBe(true);
    expect(Object.keys(backends.pids())).toEqual(['postgres', 'kafka']);

    const exits: unknown[] = [];
    backends.onExit((name, exit) => exits.push([name, exit.signal]));
    process.kill(backends.pids().postgres ?? NaN, 'SIGKILL');
    await until(() => exits.length > 0);
    await backends.restart('postgres');
    expect(await answersQueries(backends.postgres?.adminUrl ?? '')).toBe(true);

    await backends.stop();
    await gone(marksOf(dataDir));
    expect(exits).toEqual([['postgres', 'SIGKILL']]);
  });

  it('ends with code 1 and one message when there is nothing to run Kafka with', () => {
    const cache = mkdtempSync(path.join(tmpdir(), 'no-cache-'));
    const env = { HOME: cache, PATH: '/nowhere', JUNCTION_BACKENDS: 'embedded' };
    const { status, stderr } = spawnSync(process.execPath, [STACK, '--data', dataDir], {
      env,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /Kafka 4\.3\.1 cannot be run here:[^]*Java 17[^]*Maven[^]*apt-get install/,
    );
    expect(stderr).not.toContain('    at ');
    expect(marksOf(dataDir).filter(isAlive)).toEqual([]);
    rmSync(cache, { recursive: true });
  });

  it('uses what the environment names and starts nothing then', async () => {
    const url = 'postgres://somewhere/else';
    const named = { AUTH_DATABASE_URL: url, INTEGRATIONS_DATABASE_URL: url };
    const env = {
      ...named,
      WEBHOOKS_DATABASE_URL: url,
      KAFKA_BROKERS: 'kafka-1:9092,kafka-2:9092',
    };
    const backends = await startBackends({ dataDir, env, say: () => undefined });
    expect(backends.postgres).toBeUndefined();
    expect(backends.kafkaBrokers).toBe('kafka-1:9092,kafka-2:9092');
    expect(backends.pids()).toEqual({});
    await backends.stop();
  });
});

it('a program that starts a group of others leaves none of them when it is killed', async () => {
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', HOLDS_A_GROUP], {
    cwd: path.join(import.meta.dirname, '..', 'dist'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const marks = (await firstLines(starter, 2)).flatMap((line) => markOf(Number(line)) ?? []);
  expect(marks).toHaveLength(2);
  starter.kill('SIGKILL');
  await gone(marks);
});

const embedded = () => ({
  dataDir,
  ephemeral: true,
  env: { ...process.env, ...NOTHING_NAMED, JUNCTION_BACKENDS: 'embedded' },
});

/** The stack that runs these tests is not the one they start. */
const NOTHING_NAMED = {
  KAFKA_BROKERS: '',
  AUTH_DATABASE_URL: '',
  INTEGRATIONS_DATABASE_URL: '',
  WEBHOOKS_DATABASE_URL: '',
};

function stack(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, [STACK, ...args], {
    env: { ...env, ...NOTHING_NAMED, JUNCTION_BACKENDS: 'embedded' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** A shell, and a sleep that it waits for; the numbers of both are printed. */
const HOLDS_A_GROUP = `
  import { spawnGuarded } from './process/guarded-process.js';
  const { pid } = spawnGuarded({
    command: '/bin/sh', args: ['-c', 'sleep 600 & echo $!; wait'],
    stopSignal: 'SIGTERM', graceMs: 1000, group: true,
  });
  console.log(pid);
`;

const marksOf = (folder: string): ProcessMark[] =>
  [path.join('postgres-18', 'process'), path.join('kafka', 'process')]
    .map((file) => readMark(path.join(folder, file)))
    .filter((mark) => mark !== undefined);

async function firstLines({ stdout }: ChildProcess, count: number): Promise<string[]> {
  const lines: string[] = [];
  if (stdout === null) return lines;
  for await (const line of createInterface({ input: stdout })) {
    if (lines.push(line) === count) break;
  }
  return lines;
}

const gone = (marks: readonly ProcessMark[]) => until(() => !marks.some(isAlive));

async function until(isSo: () => boolean): Promise<void> {
  const end = Date.now() + GONE_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`Not within ${GONE_MS} ms.`);
    await sleep(20);
  }
}
