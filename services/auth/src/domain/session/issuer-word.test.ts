import { describe, expect, it } from '@jest/globals';
import { covers } from './issuer-word.js';

const at = (minutes: number) => new Date(1_900_000_000_000 + minutes * 60_000);
const TOKEN_MINUTES = 10;
const coversAt = (minutes: number, awayMinute?: number) =>
  covers(
    { confirmedAt: at(0), ...(awayMinute !== undefined && { awayAt: at(awayMinute) }) },
    at(minutes),
    at(minutes + TOKEN_MINUTES),
  );

describe('the word of an issuer', () => {
  it('covers tokens that end within the hour', () => {
    expect(coversAt(0)).toBe(true);
    expect(coversAt(50)).toBe(true);
    expect(coversAt(50.1)).toBe(false);
  });

  it('covers an hour more while the issuer is away', () => {
    expect(coversAt(51, 51)).toBe(true);
    expect(coversAt(110, 110)).toBe(true);
    expect(coversAt(110.1, 110.1)).toBe(false);
  });

  it('counts as away for a minute, and then has to be asked for again', () => {
    expect(coversAt(52, 51)).toBe(true);
    expect(coversAt(52.1, 51)).toBe(false);
  });
});
