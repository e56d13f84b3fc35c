import { describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import { ACCEPTED, job, many, target } from '../../../test/scheduled.js';
import type { Job, Result } from '../job.js';
import { Driver } from './driver.js';
import { judgeWith } from './judge.js';
import type { Circuits, DriverPorts } from './ports.js';
import { READY_BELOW_JOBS } from './scheduler/limits.js';
import { isReady } from './scheduler/reading.js';

describe('the driver', () => {
  it('loads the webhook, sends, and writes the result', async () => {
    const { accept, written } = driving();
    accept(job('a', 1), job('a', 2));
    await eventually(() => expect(written).toEqual(['a1', 'a2']));
  });

  it('sends what is offered ahead in a turn with the step that ends the turn', async () => {
    const { driver } = driving();
    const decided: unknown[] = [];
    const isTaken = many('a', 2).map((one) => driver.offerAhead(one, (end) => decided.push(end)));
    expect(isTaken).toEqual([true, true]);
    await eventually(() => expect(decided).toHaveLength(2));
  });

  it('writes again what could not be written', async () => {
    const { accept, written, errors } = driving({ writesFailing: 1 });
    accept(job('a', 1));
    await eventually(() => expect(written).toEqual(['a1']));
    expect(errors).toHaveLength(1);
  });

  it('loads again what could not be loaded, when that is asked for', async () => {
    const { driver, accept, written, errors } = driving({ loadsFailing: 1 });
    accept(job('a', 1));
    await eventually(() => expect(errors).toHaveLength(1));
    driver.handle({ kind: 'loadAgain' });
    await eventually(() => expect(written).toEqual(['a1']));
  });

  it('has a delivery in hand no more when its attempt met a mistake of ours', async () => {
    const { driver, accept, errors } = driving({ sendsFailing: 1 });
    accept(job('a', 1));
    await eventually(() => expect(errors).toHaveLength(1));
    expect(driver.state.inHand.ids.size).toBe(0);
  });

  it('has a delivery in hand no more when the sender ends its attempt with an error', async () => {
    const send: DriverPorts['send'] = (_job, _target, ended) => ended(undefined, new Error('ours'));
    const { driver, accept, errors } = driving({ send });
    accept(job('a', 1));
    await eventually(() => expect(errors).toEqual([new Error('ours')]));
    await eventually(() => expect(driver.state.inHand.ids.size).toBe(0));
  });

  it('counts an attempt for its circuit, unless that was the probe or is outdated', async () => {
    const counted: unknown[] = [];
    const sent: (() => void)[] = [];
    let isProbe = false;
    let version = 1;
    const { driver, accept, written } = driving({
      send: (_job, _target, ended) => void sent.push(() => ended(ACCEPTED)),
      loadTargets: async (ids) => new Map(ids.map((id) => [id, { ...target(id), version }])),
      circuits: () => ({
        ...NO_CIRCUITS,
        probe: () => (isProbe ? (isFailing) => counted.push('probe', isFailing) : undefined),
        count: (webhookId, isFailing) => void counted.push(webhookId, isFailing),
      }),
    });
    const send = async (count: number) => {
      accept(job('a', count));
      await eventually(() => expect(sent).toHaveLength(count));
    };
    await send(1);
    sent[0]?.();
    await eventually(() => expect(written).toHaveLength(1));
    isProbe = true;
    await send(2);
    sent[1]?.();
    await eventually(() => expect(written).toHaveLength(2));
    isProbe = false;
    await send(3);
    version = 2;
    driver.handle({ kind: 'webhookChanged', webhookId: 'a' });
    const phase = { target: { version } };
    await eventually(() => expect(driver.state.queues.get('a')).toMatchObject({ phase }));
    sent[2]?.();
    await eventually(() => expect(written).toHaveLength(3));
    expect(counted).toEqual(['a', false, 'probe', false]);
  });

  it('handles an input that an effect brings about after the other effects', async () => {
    const order: string[] = [];
    const { driver } = driving({
      wakeReader() {
        driver.accept([job('elsewhere', 3, { shard: 1 })]);
        order.push('read');
      },
      notifyOthers: () => void order.push('notify'),
      loadTargets: async () => {
        order.push('load');
        return new Map();
      },
    });
    const laterMs = performance.now() + 60_000;
    while (driver.state.users.admit('a', laterMs));
    driver.accept([job('a', 1), job('b', 2)]);
    expect(order).toEqual(['read', 'load', 'notify']);
  });

  it('lets more in when there is room again', async () => {
    const { driver, accept, written } = driving();
    accept(...many('a', 0.6 * READY_BELOW_JOBS), ...many('b', 0.6 * READY_BELOW_JOBS));
    await driver.ready();
    expect(isReady(driver.state)).toBe(true);
    await eventually(() => expect(written).toHaveLength(1.2 * READY_BELOW_JOBS));
  });

  it('lets a caller in after half a second, whatever is stuck', async () => {
    const { driver, accept } = driving({ loadsFailing: 1 });
    accept(...many('a', READY_BELOW_JOBS), ...many('b', READY_BELOW_JOBS));
    await driver.ready();
    expect(driver.state.inHand.ids.size).toBe(2 * READY_BELOW_JOBS);
  });

  it('sends nothing more once it is stopped, and waits for what is under way', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const { driver, accept, written } = driving({ answered });
    accept(job('a', 1));
    await eventually(() => expect(driver.state.classes.unresponsive.taken).toBe(1));
    const stopped = driver.stop(10_000);
    answer();
    await stopped;
    expect(driver.state.classes.unresponsive.taken).toBe(0);
    accept(job('a', 2));
    await eventually(() => expect(written).toEqual(['a1']));
    expect([...driver.state.inHand.ids]).toEqual(['a2']);
  });
});

const NO_CIRCUITS: Circuits = {
  probe: () => undefined,
  count() {},
  permits: () => true,
  isOpen: () => false,
  restore() {},
  drop() {},
  stop() {},
};

interface Failures {
  readonly writesFailing?: number;
  readonly loadsFailing?: number;
  readonly sendsFailing?: number;
  readonly answered?: Promise<void>;
}

/** Returns a driver of which the first so many writes, loads and requests fail. */
function driving({
  writesFailing = 0,
  loadsFailing = 0,
  sendsFailing = 0,
  answered = Promise.resolve(),
  ...others
}: Partial<DriverPorts> & Failures = {}) {
  const left = { writes: writesFailing, loads: loadsFailing, sends: sendsFailing };
  const written: string[] = [];
  const errors: unknown[] = [];
  const write = async (results: readonly Result[]) => {
    if (left.writes-- > 0) throw new Error('away');
    written.push(...results.map((result) => result.job.deliveryId));
  };
  const ports: DriverPorts = {
    epochOf: (shard) => (shard === 0 ? '1' : undefined),
    send(_job, _target, ended) {
      if (left.sends-- > 0) throw new Error('a mistake');
      void answered.then(() => ended(ACCEPTED));
    },
    judge: judgeWith(
      { delaysMs: [] },
      () => new Date(0),
      () => 0,
    ),
    write: { attempts: write, exhausted: write, refused: write, gone: write },
    circuits: () => NO_CIRCUITS,
    onCircuitChange() {},
    async loadTargets(ids) {
      if (left.loads-- > 0) throw new Error('away');
      return new Map(ids.map((id) => [id, target(id)]));
    },
    endPending() {},
    notifyOthers() {},
    wakeReader() {},
    monotonicMs: () => performance.now(),
    onError: (error) => void errors.push(error),
    ...others,
  };
  const driver = new Driver(ports);
  const accept = (...jobs: readonly Job[]) => driver.accept(jobs);
  return { driver, accept, written, errors };
}
