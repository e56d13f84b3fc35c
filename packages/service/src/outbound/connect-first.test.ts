import type { LookupAddress } from 'node:dns';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { until } from '../../test/loopback.js';
import { connectFirst, type Dial } from './connect-first.js';

const NEVER = new AbortController().signal;
/** Milliseconds that are less than the delay between two attempts, and much more than a turn of the loop takes. */
const SOON_MS = 100;

describe('a connection to a host of several addresses', () => {
  it('is tried by families in turn, one attempt beside the other', async () => {
    const { dialled, dial, answer } = dialling();
    const connecting = connectFirst([V4_1, V4_2, V4_3, V6_1], dial, NEVER);
    await until(() => dialled.length === 4);
    expect(dialled).toEqual([V4_1, V6_1, V4_2, V4_3].map(({ address }) => address));
    // The first attempt is as good as the last one.
    const socket = answer(V4_1);
    expect(await connecting).toBe(socket);
  });

  it('begins with the first family of the answer', async () => {
    const { dialled, dial, answer } = dialling();
    const connecting = connectFirst([V6_1, V4_1, V4_2], dial, NEVER);
    await until(() => dialled.length === 3);
    expect(dialled).toEqual([V6_1, V4_1, V4_2].map(({ address }) => address));
    answer(V4_2);
    await connecting;
  });

  it('goes on to the next address as soon as one has failed', async () => {
    const { dialled, dial, answer, fail } = dialling();
    const connecting = connectFirst([V4_1, V6_1], dial, NEVER);
    fail(V4_1);
    await sleep(SOON_MS);
    expect(dialled).toHaveLength(2);
    answer(V6_1);
    await connecting;
  });

  it('ends the attempts that another was faster than, and begins no more', async () => {
    const { dialled, dial, answer, ended } = dialling();
    const connecting = connectFirst([V4_1, V6_1, V4_2], dial, NEVER);
    await until(() => dialled.length === 2);
    const late = answer(V4_1);
    const last = answer(V6_1);
    expect(await connecting).toBe(late);
    expect({ late: late.destroyed, last: last.destroyed }).toEqual({ late: false, last: true });
    expect(ended).toEqual([V6_1.address]);
    await sleep(3 * SOON_MS);
    expect(dialled).toHaveLength(2);
  });

  it('fails with what each address said, in the order of the attempts', async () => {
    const { dialled, dial, fail } = dialling();
    const connecting = connectFirst([V4_1, V6_1], dial, NEVER);
    await until(() => dialled.length === 2);
    const second = fail(V6_1);
    const first = fail(V4_1);
    await expect(connecting).rejects.toMatchObject({ errors: [first, second] });
    const alone = dialling();
    const only = alone.fail(V4_1);
    await expect(connectFirst([V4_1], alone.dial, NEVER)).rejects.toBe(only);
  });

  it('ends all attempts at the deadline, and none before', async () => {
    const { dialled, dial, ended } = dialling();
    const deadline = new AbortController();
    const connecting = connectFirst([V4_1, V6_1, V4_2], dial, deadline.signal);
    await until(() => dialled.length === 2);
    expect(ended).toEqual([]);
    const overdue = new Error('The time for a connection is over.');
    deadline.abort(overdue);
    await expect(connecting).rejects.toMatchObject({ errors: [overdue, overdue] });
    expect({ ended, dialled: dialled.length }).toEqual({
      ended: [V4_1.address, V6_1.address],
      dialled: 2,
    });
  });
});

const v4 = (address: string): LookupAddress => ({ address, family: 4 });
const V4_1 = v4('192.0.2.1');
const V4_2 = v4('192.0.2.2');
const V4_3 = v4('192.0.2.3');
const V6_1: LookupAddress = { address: '2001:db8::1', family: 6 };

/** Creates attempts that the test ends. */
function dialling() {
  const dialled: string[] = [];
  const ended: string[] = [];
  const outcomes = new Map<string, ReturnType<typeof deferred<Socket | Error>>>();
  const outcomeOf = (address: string) => {
    const outcome = outcomes.get(address) ?? deferred<Socket | Error>();
    outcomes.set(address, outcome);
    return outcome;
  };
  const dial: Dial = async ({ address }, signal) => {
    dialled.push(address);
    const { promise, resolve } = outcomeOf(address);
    signal.addEventListener('abort', () => {
      ended.push(address);
      resolve(signal.reason);
    });
    const outcome = await promise;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const answer = ({ address }: LookupAddress) => {
    const socket = new Socket();
    outcomeOf(address).resolve(socket);
    return socket;
  };
  const fail = ({ address }: LookupAddress) => {
    const error = new Error(`${address} does not answer.`);
    outcomeOf(address).resolve(error);
    return error;
  };
  return { dialled, ended, dial, answer, fail };
}
