import { expect, it } from '@jest/globals';
import { kafkaClient, silentLog } from '@junction/messaging';
import type { Fault } from '../schedule.js';
import { play } from './play.js';

const HOUR_MS = 3_600_000;

it('a schedule that cannot be played ends at once, with why, although another fault is due later', async () => {
  const schedule: readonly Fault[] = [
    { atMs: 0, how: 'kill', victim: 'writer-1', lastsMs: 0 },
    { atMs: HOUR_MS, how: 'kill', victim: 'writer-2', lastsMs: 0 },
  ];
  const { signal } = new AbortController();
  const played = play(schedule, NOBODY, { signal, say: () => undefined });
  await expect(played).rejects.toThrow('There is no process writer-1.');
});

const NOBODY: Parameters<typeof play>[1] = {
  members: new Map(),
  kafka: kafkaClient({ brokers: ['127.0.0.1:9'], clientId: 'nobody', log: silentLog }),
  backends: {
    postgres: undefined,
    kafkaBrokers: '',
    pids: () => ({}),
    onExit: () => undefined,
    restart: async () => undefined,
    stop: async () => undefined,
  },
};
