import { describe, expect, it } from '@jest/globals';
import { strip } from './strip.js';

describe('the strip of a webhook', () => {
  it('has two attempts in each character, the newest at the end', () => {
    expect(strip('11')).toBe('⣀');
    expect(strip('148')).toBe('⢀⣴');
    expect(strip('')).toBe('');
  });

  it('lets failures reach to the top, and tells an answer from none', () => {
    expect(strip('x!')).toBe('⣏');
  });

  it('is as long for ninety attempts as forty-five characters', () => {
    expect(strip('2'.repeat(90))).toHaveLength(45);
  });
});
