import { describe, expect, it } from '@jest/globals';
import { randomOf } from './random.js';
import { drawSchedule, faultInWords, MEMBERS, SERVERS } from './schedule.js';

describe('the schedule of a run', () => {
  it('is the same for the same seed, in every release and on every machine', () => {
    expect(drawSchedule(7, 50)).toEqual(drawSchedule(7, 50));
    expect(drawSchedule(7, 50)).not.toEqual(drawSchedule(8, 50));
    // The one that the end-to-end test plays.
    expect(drawSchedule(SHORT_SEED, 5).map((fault) => faultInWords(fault))).toEqual(SHORT);
  });

  it('kills as often as it was told, everybody once before anybody again', () => {
    const everybody = [...MEMBERS, ...SERVERS].toSorted();
    for (const seed of SEEDS) {
      const killed = drawSchedule(seed, 2 * everybody.length).flatMap(({ how, victim }) =>
        how === 'kill' ? [victim] : [],
      );
      expect(killed).toHaveLength(2 * everybody.length);
      expect(killed.slice(0, everybody.length).toSorted()).toEqual(everybody);
      expect(killed.slice(everybody.length).toSorted()).toEqual(everybody);
    }
  });

  it('pauses processes of ours within their leases and beyond', () => {
    const pauses = SEEDS.flatMap((seed) => drawSchedule(seed, 50)).filter(
      ({ how }) => how === 'pause',
    );
    expect(new Set(pauses.map(({ victim }) => victim))).toEqual(new Set(MEMBERS));
    const longest = pauses.map(({ lastsMs }) => lastsMs).toSorted((a, b) => a - b);
    expect(longest[0]).toBeGreaterThanOrEqual(1_000);
    expect(longest.at(-1)).toBeLessThanOrEqual(20_000);
    expect(longest.filter((ms) => ms > 8_000).length).toBeGreaterThan(0);
    expect(longest.filter((ms) => ms < 6_000).length).toBeGreaterThan(0);
  });

  it('lets another take over from who is paused for long, and lets that one wake up', () => {
    for (const seed of SEEDS) {
      const faults = drawSchedule(seed, 50);
      const long = faults.filter(({ how, lastsMs }) => how === 'pause' && lastsMs >= 7_000);
      const meanwhile = long.flatMap(({ victim, atMs, lastsMs }) =>
        faults.filter(
          (one) =>
            one.victim.slice(0, -1) === victim.slice(0, -1) &&
            one.atMs > atMs &&
            one.atMs < atMs + lastsMs + 1_000,
        ),
      );
      expect(long.length).toBeGreaterThan(0);
      expect(meanwhile).toEqual([]);
    }
  });

  it('goes forward in time', () => {
    const times = drawSchedule(1, 50).map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});

describe('random numbers', () => {
  it('keep to their bounds and reach them', () => {
    const random = randomOf('bounds');
    const drawn = new Set(Array.from({ length: 1_000 }, () => random.between(2, 5)));
    expect(drawn).toEqual(new Set([2, 3, 4, 5]));
    expect([random.chance(0), random.chance(1)]).toEqual([false, true]);
  });

  it('shuffle without losing anything', () => {
    const items = Array.from({ length: 20 }, (_, n) => n);
    const shuffled = randomOf('shuffle').shuffled(items);
    expect(shuffled).not.toEqual(items);
    expect(shuffled.toSorted((a, b) => a - b)).toEqual(items);
  });
});

const SEEDS = [0, 1, 2, 3, 4_294_967_295];
const SHORT_SEED = 14_217;
const SHORT = [
  'SIGKILL writer-1, started again after 0.4 s',
  'SIGSTOP relay-2, SIGCONT after 7.3 s',
  'chaos.anew.v1 deleted, made anew after 0.9 s',
  'SIGKILL postgres, started again after 1.8 s',
  'SIGKILL kafka, started again after 0.1 s',
  'SIGKILL consumer-2, started again after 1.7 s',
  'SIGKILL relay-1, started again after 1.1 s',
];
