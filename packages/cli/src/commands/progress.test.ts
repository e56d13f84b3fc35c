import { describe, expect, it } from '@jest/globals';
import { progressText } from './progress.js';

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
    expect(progressText('users', half)).toBe(`users ${bar} 50 % 500/1000 5/s, 1 min 40 s left`);
  });

  it('makes no estimate before there is one', () => {
    const early = { ...half, eventsPerSecond: 0, secondsLeft: undefined };
    expect(progressText('users', early)).toMatch(/500\/1000 0\/s$/);
  });

  it('is whole when there is nothing to do', () => {
    const nothing = { ...half, phase: 'switching', eventsDone: 0, eventsTotal: 0 };
    expect(progressText('users', nothing)).toContain('100 % 0/0 switching');
  });
});
