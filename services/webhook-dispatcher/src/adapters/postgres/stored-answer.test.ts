import { describe, expect, it } from '@jest/globals';
import { fromStoredAnswer, toStoredAnswer } from './stored-answer.js';

describe('a stored answer', () => {
  it.each([
    ['a: 1\nb: ', 'thanks'],
    ['a: 1', '\n\nbegins and ends with empty lines\n\n'],
    ['a: 1', ''],
    ['', 'a: 1\n\nis no header'],
    ['', ''],
  ])('keeps headers and body apart: %j %j', (headers, sample) => {
    const answer = { headers: Buffer.from(headers), sample: Buffer.from(sample) };
    expect(fromStoredAnswer(toStoredAnswer(answer))).toEqual(answer);
  });

  it('keeps bytes that are no text', () => {
    const answer = { headers: Buffer.from('a: 1'), sample: Buffer.from([0xff, 0x00, 0xc0]) };
    expect(fromStoredAnswer(toStoredAnswer(answer))).toEqual(answer);
  });
});
