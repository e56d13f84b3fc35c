import { describe, expect, it } from '@jest/globals';
import { paced, progressBar, progressLine } from './progress.js';

const half = {
  version: 2,
  phase: 'filling',
  eventsDone: 500,
  eventsTotal: 1_000,
  eventsPerSecond: 5,
  secondsLeft: 100,
};

describe('the progress of a rebuild', () => {
  it('has a bar, a rate and an estimate', () => {
    const bar = '█'.repeat(12) + '░'.repeat(12);
    expect(progressBar('users', half)).toBe(`users ${bar} 50 % 500/1000 5/s, 1 min 40 s left`);
  });

  it('makes no estimate before there is one', () => {
    const early = { ...half, eventsPerSecond: 0, secondsLeft: undefined };
    expect(progressBar('users', early)).toMatch(/500\/1000 0\/s$/);
  });

  it('is whole when there is nothing to do', () => {
    const nothing = { ...half, phase: 'switching', eventsDone: 0, eventsTotal: 0 };
    expect(progressBar('users', nothing)).toContain('100 % 0/0 switching');
  });
});

describe('the progress of a rebuild that nobody watches', () => {
  it('has no bar', () => {
    expect(progressLine('users', half)).toBe('users 50 % 500/1000 5/s, 1 min 40 s left');
    expect(progressLine('users', { ...half, phase: 'done', eventsDone: 1_000 })).toBe(
      'users 100 % 1000/1000 done',
    );
  });

  it('is a line for each phase and one every five seconds, however many batches there are', () => {
    let nowMs = 0;
    const told: string[] = [];
    const tell = paced<typeof half>(
      ({ phase, eventsDone }) => void told.push(`${phase} ${eventsDone}`),
      () => nowMs,
    );
    for (let batch = 0; batch < 120; batch++) {
      tell({ ...half, eventsDone: batch });
      nowMs += 100;
    }
    tell({ ...half, phase: 'switching', eventsDone: 120 });
    tell({ ...half, phase: 'done', eventsDone: 120 });
    expect(told).toEqual(['filling 0', 'filling 50', 'filling 100', 'switching 120', 'done 120']);
  });
});
