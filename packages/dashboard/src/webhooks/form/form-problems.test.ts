import { describe, expect, it } from '@jest/globals';
import { formProblems } from './form-problems.js';
import { proposed } from './form-values.js';

const values = proposed([]);

describe('a form', () => {
  it.each([
    ['', null],
    [' 20 ', null],
    ['0', 'from 1 to 1000'],
    ['1e3', 'from 1 to 1000'],
    ['1001', 'from 1 to 1000'],
  ])('takes %j as a rate limit: %s', (rate, problem) => {
    expect(formProblems.rate_limit(rate)).toEqual(wanted(problem));
  });

  it.each([
    ['5 s, 2 h', null],
    ['', 'commas between'],
    ['soon', 'commas between'],
    ['2 d', 'to one day'],
    [Array.from({ length: 21 }, () => '1 s').join(','), 'At most 20'],
  ])('takes %j as a schedule: %s', (text, problem) => {
    expect(formProblems.retry_schedule(text, { ...values, retries: 'own' })).toEqual(
      wanted(problem),
    );
    expect(formProblems.retry_schedule(text, values)).toBeNull();
  });

  it.each([
    ['', null],
    ['{"path":"a","exists":true}', null],
    ['{"path"', 'not JSON'],
  ])('takes %j as a filter: %s', (text, problem) => {
    expect(formProblems.filter(text)).toEqual(wanted(problem));
  });

  it('needs a unique name and a value in each entry, unless the value is stored', () => {
    const stored = { name: 'X-A', value: '', isStored: true };
    expect(formProblems.headers([stored, { name: 'X-B', value: 'b' }])).toBeNull();
    expect(formProblems.headers([stored, { name: 'x-a', value: 'b' }])).toContain('twice');
    expect(formProblems.headers([{ name: 'X-A', value: '' }])).toContain('a value');
    expect(formProblems.metadata([{ name: ' ', value: 'x' }])).toContain('a name');
  });
});

const wanted = (problem: string | null) => problem && expect.stringContaining(problem);
