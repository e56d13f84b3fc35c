import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { CircuitChange } from '../../application/sending/ports.js';
import { BREAKER_SETTINGS, circuitBreakers } from './circuit-breakers.js';

const SECOND = 1_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('a webhook that is well', () => {
  it('has no breaker, and as many attempts at once as its pace allows', async () => {
    const { circuits, attempt } = breaking();
    await attempt(false);
    expect(circuits.permits('a', 100)).toBe(true);
  });
});

describe('a failing webhook', () => {
  it('gets two attempts at once from its first failure on', async () => {
    const { circuits, attempt } = breaking();
    await attempt(true);
    expect(circuits.permits('a', 1)).toBe(true);
    expect(circuits.permits('a', 2)).toBe(false);
    expect(circuits.permits('b', 7)).toBe(true);
  });

  it('opens its circuit after five failures, and lets one probe through half a minute later', async () => {
    const { circuits, attempt, changes } = breaking();
    await failTimes(attempt, 5);
    const restMs = 30 * SECOND;
    expect(changes).toEqual([{ to: 'open', probeAt: new Date(restMs), restMs }]);
    expect(circuits.isOpen('a')).toBe(true);
    expect(circuits.permits('a', 0)).toBe(false);

    await jest.advanceTimersByTimeAsync(30 * SECOND);
    expect(changes.at(-1)).toEqual({ to: 'half-open' });
    expect(circuits.permits('a', 0)).toBe(true);
    const probe = circuits.probe('a');
    expect(circuits.permits('a', 0)).toBe(false);
    probe?.(false);
    await settled();
    expect(changes.at(-1)).toEqual({ to: 'closed' });
  });

  it('rests twice as long after each probe that fails, up to ten minutes', async () => {
    const { attempt, changes } = breaking();
    await failTimes(attempt, 5);
    const rests: number[] = [];
    for (let n = 0; n < 6; n++) {
      const openedAtMs = Date.now();
      const { probeAt } = changes.at(-1) as { probeAt: Date };
      rests.push((probeAt.getTime() - openedAtMs) / SECOND);
      await jest.advanceTimersByTimeAsync(probeAt.getTime() - openedAtMs);
      await attempt(true);
    }
    expect(rests).toEqual([30, 60, 120, 240, 480, 600]);
  });

  it.each([
    ['well', false],
    ['badly', true],
  ])('leaves it to the probe, though one that began before ends %s', async (_, isFailing) => {
    const { circuits, attempt, changes } = breaking();
    await attempt(true);
    await failTimes(attempt, 4);
    await jest.advanceTimersByTimeAsync(30 * SECOND);
    const probe = circuits.probe('a');
    const before = [...changes];

    circuits.count('a', isFailing);
    await settled();
    expect(changes).toEqual(before);
    expect(circuits.permits('a', 0)).toBe(false);
    probe?.(false);
    await settled();
    expect(changes.at(-1)).toEqual({ to: 'closed' });
  });

  it('is dropped once a whole window passed without a failure', async () => {
    const { circuits, attempt } = breaking();
    await attempt(true);
    await jest.advanceTimersByTimeAsync(300 * SECOND);
    expect(circuits.permits('a', 7)).toBe(true);
  });
});

describe('a circuit that was open when its owner ended', () => {
  const rest = { probeAt: new Date(10 * SECOND), restMs: 240 * SECOND };

  it('rests for what was left of its time, which is no news', async () => {
    const { circuits, changes } = breaking();
    circuits.restore('a', rest);
    expect(circuits.permits('a', 0)).toBe(false);
    expect(changes).toEqual([]);
    await jest.advanceTimersByTimeAsync(9 * SECOND);
    expect(circuits.isOpen('a')).toBe(true);
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(changes.at(-1)).toEqual({ to: 'half-open' });
    expect(circuits.permits('a', 0)).toBe(true);
  });

  it('rests twice as long as it did there when its probe fails', async () => {
    const { circuits, attempt, changes } = breaking();
    circuits.restore('a', rest);
    await jest.advanceTimersByTimeAsync(10 * SECOND);
    await attempt(true);
    const probeAt = new Date(490 * SECOND);
    expect(changes.at(-1)).toEqual({ to: 'open', probeAt, restMs: 480 * SECOND });
  });

  it('is probed at once when that is overdue', async () => {
    const { circuits, changes } = breaking();
    jest.setSystemTime(60 * SECOND);
    circuits.restore('a', rest);
    await jest.advanceTimersByTimeAsync(1);
    expect(changes).toEqual([{ to: 'half-open' }]);
  });

  it('is probed earlier when that is asked for after it opened', async () => {
    const { circuits, attempt, changes } = breaking();
    await failTimes(attempt, 5);
    await jest.advanceTimersByTimeAsync(10 * SECOND);
    const ours = { probeAt: new Date(30 * SECOND), restMs: 30 * SECOND };
    circuits.restore('a', ours);
    circuits.restore('a', { ...ours, probeAt: new Date(0) });
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(circuits.isOpen('a')).toBe(true);

    circuits.restore('a', { ...ours, probeAt: new Date(11 * SECOND) });
    await jest.advanceTimersByTimeAsync(1);
    expect(changes.at(-1)).toEqual({ to: 'half-open' });
    expect(circuits.permits('a', 0)).toBe(true);
  });

  it('is open for an owner, too, whose attempts have failed meanwhile', async () => {
    const { circuits, attempt } = breaking();
    await attempt(true);
    circuits.restore('a', rest);
    expect(circuits.isOpen('a')).toBe(true);
  });

  it('is not put over a circuit that this owner has opened and closed since', async () => {
    const { circuits, attempt, changes } = breaking();
    await failTimes(attempt, 5);
    await jest.advanceTimersByTimeAsync(30 * SECOND);
    await attempt(false);
    expect(changes.at(-1)).toEqual({ to: 'closed' });
    circuits.restore('a', rest);
    expect(circuits.isOpen('a')).toBe(false);
  });
});

function breaking() {
  jest.setSystemTime(0);
  const changes: CircuitChange[] = [];
  const circuits = circuitBreakers(BREAKER_SETTINGS, (_, change) => void changes.push(change));
  const attempt = async (isFailing: boolean) => {
    const probe = circuits.probe('a');
    if (probe) probe(isFailing);
    else circuits.count('a', isFailing);
    await settled();
  };
  return { circuits, attempt, changes };
}

/** Resolves when breakers have counted, which takes them some microtasks. */
const settled = () => jest.advanceTimersByTimeAsync(0);

async function failTimes(attempt: (isFailing: boolean) => Promise<void>, times: number) {
  for (let n = 0; n < times; n++) await attempt(true);
}
