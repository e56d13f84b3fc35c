import { describe, expect, it } from '@jest/globals';
import { nextBatchSize } from './batch-size.js';

describe('the size of a batch', () => {
  it('is halved after a slow one, down to a single record', () => {
    expect(nextBatchSize(200, 200, 251, 200)).toBe(100);
    expect(nextBatchSize(200, 10, 251, 200)).toBe(5);
    expect(nextBatchSize(1, 1, 10_000, 200)).toBe(1);
  });

  it('grows again after a full and quick one, up to its bound', () => {
    expect(nextBatchSize(50, 50, 20, 200)).toBe(100);
    expect(nextBatchSize(150, 150, 20, 200)).toBe(200);
  });

  it('stays when a batch was neither slow nor full', () => {
    expect(nextBatchSize(50, 7, 20, 200)).toBe(50);
    expect(nextBatchSize(50, 50, 200, 200)).toBe(50);
  });
});
