import { describe, expect, it } from '@jest/globals';
import { paced, progressBar, progressLine } from './progress.js';

const half = {
  version: 2,
  phase: 'filling',
  events_done: 500,
  events_total: 1_000,
  events_per_second: 5,
  seconds_left: 100,
};

describe('the progress of a rebuild', () => {
  it('has a bar, a rate and an estimate', () => {
    const bar = '█'.repeat(12) + '░'.repeat(12);
    expect(progressBar('users', half)).toBe(`users ${bar} 50 % 500/1000 5/s, 1 min 40 s left`);
  });

  it('makes no estimate before there is one', () => {
    const early = { ...half, events_per_second: 0, seconds_left: null };
    expect(progressBar('users', early)).toMatch(/500\/1000 0\/s$/);
  });

  it('is whole when there is nothing to do', () => {
    const nothing = { ...half, phase: 'switching', events_done: 0, events_total: 0 };
    expect(progressBar('users', nothing)).toContain('100 % 0/0 switching');
  });
});

describe('the progress of a rebuild that nobody watches', () => {
  it('has no bar', () => {
    expect(progressLine('users', half)).toBe('users 50 % 500/1000 5/s, 1 min 40 s left');
    expect(progressLine('users', { ...half, phase: 'done', events_done: 1_000 })).toBe(
      'users 100 % 1000/1000 done',
    );
  });

  it('is a line for each phase and one every five seconds, however many batches there are', () => {
    let nowMs = 0;
    const told: string[] = [];
    const tell = paced<typeof half>(
      ({ phase, events_done: done }) => void told.push(`${phase} ${done}`),
      () => nowMs,
    );
    for (let batch = 0; batch < 120; batch++) {
      tell({ ...half, events_done: batch });
      nowMs += 100;
    }
    tell({ ...half, phase: 'switching', events_done: 120 });
    tell({ ...half, phase: 'done', events_done: 120 });
    expect(told).toEqual(['filling 0', 'filling 50', 'filling 100', 'switching 120', 'done 120']);
  });
});
