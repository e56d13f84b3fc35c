import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { restartDelayMs } from './restart-policy.js';
import { type Child, type Running, Supervisor } from './supervisor.js';

describe('the supervisor', () => {
  it('starts a child again when it dies, and says so', async () => {
    const { supervisor, lines } = supervised();
    const child = childOf('auth');
    await supervisor.supervise(child);
    child.die('SIGKILL');
    await child.started(2);
    expect(lines).toEqual(['auth ended (SIGKILL); starting it again in 0.5 s.', 'auth is back.']);
    expect(supervisor.pids()).toEqual({ auth: 2 });
    await supervisor.stop();
  });

  it('ends what serves before what it stands on, and starts nothing again', async () => {
    const { supervisor } = supervised();
    const ended: string[] = [];
    const children = ['postgres', 'auth', 'gateway'].map((name) => childOf(name, ended));
    for (const child of children) await supervisor.supervise(child);
    await supervisor.stop();
    expect(ended).toEqual(['auth', 'gateway', 'postgres']);
    expect(children.map(({ starts }) => starts())).toEqual([1, 1, 1]);
  });

  it('starts nothing again once everything is called off, and says nothing of it', async () => {
    const off = new AbortController();
    const { supervisor, lines } = supervised(off.signal);
    const child = childOf('auth');
    await supervisor.supervise(child);
    off.abort();
    child.die('exit code 0');
    await supervisor.stop();
    expect(lines).toEqual([]);
    expect(child.starts()).toBe(1);
  });

  it('calls off what still starts when it gives a child up', async () => {
    const { supervisor, lines } = supervised(undefined, () => undefined);
    const child = childOf('auth');
    await supervisor.supervise(child);
    const calledOff = once(supervisor.stopping, 'abort');
    child.die('exit code 1');
    await calledOff;
    expect(lines).toEqual(['auth ended (exit code 1), the fifth time within a minute: giving up.']);
    expect(child.starts()).toBe(1);
  });

  it('lets the first start fail to whoever asked for it', async () => {
    const { supervisor } = supervised();
    const start = () => Promise.reject(new Error('no Java'));
    await expect(supervisor.supervise({ name: 'kafka', start })).rejects.toThrow('no Java');
  });
});

function supervised(signal = new AbortController().signal, delayMs = restartDelayMs) {
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const options = { say, signal, delayMs, onChange() {}, onGiveUp() {} };
  return { lines, supervisor: new Supervisor(options) };
}

/** A child whose death is in the test's hands. */
function childOf(name: string, ended: string[] = []) {
  let starts = 0;
  let end = (_reason: string) => {};
  let told = () => {};
  const child: Child = {
    name,
    foundation: name === 'postgres',
    start() {
      starts += 1;
      const exited = new Promise<string>((resolve) => {
        end = resolve;
      });
      const stop = () => {
        if (!ended.includes(name)) ended.push(name);
        end('exit code 0');
        return Promise.resolve();
      };
      told();
      const running: Running = { pid: starts, exited, stop };
      return Promise.resolve(running);
    },
  };
  const started = (n: number) =>
    new Promise<void>((resolve) => {
      told = () => starts >= n && setImmediate(resolve);
      told();
    });
  return { ...child, die: (reason: string) => end(reason), started, starts: () => starts };
}
