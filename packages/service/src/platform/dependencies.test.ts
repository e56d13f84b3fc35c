import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Closing, logger, metrics } from '../process/index.js';
import { watchDependencies } from './dependencies.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('measures since when a dependency has not answered, whether it refuses or hangs, and says so once', async () => {
  const { kafka, silence, said, stop } = watched();
  kafka.ask = () => Promise.reject(new Error('connect ECONNREFUSED'));
  await jest.advanceTimersByTimeAsync(60_000);
  expect(await silence()).toEqual({ postgres: 0, kafka: 60 });

  kafka.ask = () => new Promise((resolve) => setTimeout(resolve, 20_000));
  await jest.advanceTimersByTimeAsync(20_000);
  expect(await silence()).toEqual({ postgres: 0, kafka: 80 });
  await jest.advanceTimersByTimeAsync(5_000);
  expect(await silence()).toMatchObject({ kafka: 0 });
  expect(said()).toEqual(['a dependency is silent', 'a dependency answers again']);
  await stop();
});

it('ends an outage of a server with its first answer', async () => {
  const { kafka, said, stop } = watched();
  const away = Object.assign(new Error('Broker not connected'), { name: 'KafkaJSError' });
  kafka.ask = () => Promise.reject(away);
  await jest.advanceTimersByTimeAsync(20_000);
  kafka.ask = async () => undefined;
  await jest.advanceTimersByTimeAsync(5_000);
  expect(said()).toEqual([
    expect.stringContaining('an outage began'),
    'an outage is over: the server answers',
    'a dependency answers again',
  ]);
  await stop();
});

it('stops at once while a dependency hangs', async () => {
  const { kafka, stop } = watched();
  kafka.ask = () => new Promise(() => undefined);
  await jest.advanceTimersByTimeAsync(10_000);
  await expect(stop()).resolves.toBeUndefined();
});

function watched() {
  const lines: string[] = [];
  const log = logger('test', 'info', { destination: { write: (line) => void lines.push(line) } });
  const closing = new Closing(log);
  const { meter, registry } = metrics('test');
  const kafka: { ask: () => Promise<void> } = { ask: async () => undefined };
  watchDependencies({
    meter,
    pool: { query: async () => undefined },
    probe: { ask: () => kafka.ask(), close: async () => undefined },
    runtime: { log, closing },
  });
  return {
    kafka,
    stop: () => closing.closeAll(),
    said: () => lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg),
    async silence() {
      const text = await registry.getSingleMetricAsString('junction_dependency_silence_seconds');
      const samples = text.matchAll(/dependency="(\w+)",service="test"\} (\d+)/g);
      return Object.fromEntries([...samples].map(([, name, seconds]) => [name, Number(seconds)]));
    },
  };
}
