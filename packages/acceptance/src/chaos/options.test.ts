import { describe, expect, it } from '@jest/globals';
import { parseOptions, UsageError } from './options.js';

describe('the options of npm run chaos', () => {
  it('are a seed and how many are killed', () => {
    expect(parseOptions(['--seed', '7', '--kills', '4'])).toEqual({ seed: 7, kills: 4 });
  });

  it('may be left out: a seed is drawn, and fifty are killed', () => {
    expect(parseOptions([])).toEqual({ seed: undefined, kills: 50 });
  });

  it('are refused with every mistake named', () => {
    expect(() => parseOptions(['--seed', 'x', '--kills', '0'])).toThrow(
      new UsageError(
        '--seed is "x"; it must be a whole number from 0 to 4294967295.\n' +
          '--kills is "0"; it must be a whole number from 1 to 1000.',
      ),
    );
    expect(() => parseOptions(['--seed', '4294967296'])).toThrow('--seed is "4294967296"');
    expect(() => parseOptions(['--kills', '1.5'])).toThrow('--kills is "1.5"');
  });

  it('are no others', () => {
    expect(() => parseOptions(['--kill', '3'])).toThrow(/--kill[^]*Usage: npm run chaos/);
    expect(() => parseOptions(['50'])).toThrow(UsageError);
  });
});
