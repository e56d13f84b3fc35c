import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { eventually, useBroker } from '@junction/testing';
import { text, useConsumerStage } from '../../test/consumer-stage.js';

const stage = useConsumerStage();
const { database, prefix, start, newTopic, send, effects, deadLetters, storedOffset } = stage;
const { brokers } = useBroker();
const zombies: ChildProcess[] = [];

afterAll(() => {
  for (const zombie of zombies) zombie.kill('SIGKILL');
});

// The session lasts 8 s: both processes are paused for longer at the same time, so that the test waits for it once.
it('a process that was paused past its session has no effect, wherever it was paused', async () => {
  await Promise.all((['before', 'within'] as const).map(pausedAt));
});

async function pausedAt(pauseAt: 'before' | 'within'): Promise<void> {
  const topic = await newTopic();
  const group = randomUUID();
  const zombie = member({ group, topic, pauseAt });
  expect(await saying(zombie)).toBe('ready');
  const paused = saying(zombie);
  await send(topic, ['a']);
  expect(await paused).toBe('here');
  zombie.kill('SIGSTOP');

  await start({
    topics: [topic],
    group,
    handle: async (records, tx) => {
      for (const record of records) {
        await tx.query('insert into effects (topic, value) values ($1, $2)', [
          topic,
          `${text(record)} heir`,
        ]);
      }
    },
  });
  await eventually(async () => expect(await effects(topic)).toEqual(['a heir']), SLOW);

  zombie.kill('SIGCONT');
  // The process stops when it has finished its current work.
  const gone = once(zombie, 'exit');
  zombie.send('stop');
  await gone;
  await send(topic, ['b']);
  await eventually(async () => expect(await effects(topic)).toEqual(['a heir', 'b heir']), SLOW);
  expect(await storedOffset(group)).toBe('2');
  expect(await deadLetters(topic)).toEqual([]);
}

const SLOW = { deadlineMs: 30_000 };

function member(options: { group: string; topic: string; pauseAt: string }): ChildProcess {
  const program = fileURLToPath(new URL('../../test/zombie-member.mjs', import.meta.url));
  const where = { url: database().url, brokers, topicPrefix: prefix };
  const zombie = fork(program, [JSON.stringify({ ...where, ...options })], { execArgv: [] });
  zombies.push(zombie);
  return zombie;
}

const saying = async (zombie: ChildProcess): Promise<unknown> =>
  ((await once(zombie, 'message')) as unknown[])[0];
