import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.js';

describe('eventually', () => {
  it('gives the value of the first try that does not throw', async () => {
    let tries = 0;
    const third = () => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
      return tries;
    };
    await expect(eventually(third, { pollMs: 1 })).resolves.toBe(3);
  });

  it('throws the last failure after the deadline', async () => {
    const never = () => Promise.reject(new Error('the door stays closed'));
    await expect(eventually(never, { deadlineMs: 20, pollMs: 1 })).rejects.toThrow(
      'the door stays closed',
    );
  });
});
