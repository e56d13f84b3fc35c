import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { DatabaseError } from 'pg';
import { FencedError, isTransient, reasonOf } from './failure.js';

const refused = (code: string): DatabaseError => {
  const error = new DatabaseError('invalid input: "ada@example.com"', 10, 'error');
  return Object.assign(error, { code, table: 'users', constraint: 'users_email_key' });
};

describe('the reason why a rebuild stopped', () => {
  it.each([
    ['a mistake of ours', new TypeError('What is ada@example.com?')],
    ['an error of Node', thrownBy(() => new URL('ada@example.com'))],
    ['a refusal of ours', new AppError('invalid_request', 'ada@example.com is none.')],
    ['a refusal of Postgres', refused('23505')],
    ['no error at all', 'ada@example.com'],
  ])('tells no data: %s', (_, error) => {
    expect(reasonOf(error)).not.toContain('ada');
  });

  it('tells what was refused, and where', () => {
    expect(reasonOf(refused('23505'))).toBe(
      'Postgres refused the row (SQLSTATE 23505), constraint users_email_key, table users',
    );
    expect(reasonOf(new TypeError('x'))).toMatch(/^TypeError at failure\.test\.ts:\d+$/);
    expect(reasonOf(new AppError('invalid_request', 'x'))).toMatch(/^AppError invalid_request at/);
    expect(reasonOf(thrownBy(() => new URL('x')))).toMatch(/^TypeError ERR_INVALID_URL/);
  });
});

describe('an error', () => {
  it.each([
    [refused('42P01'), true],
    [refused('57P01'), true],
    [new AppError('keys_unavailable', 'Later.'), true],
    [new FencedError('users'), true],
    [refused('23505'), false],
    [refused('22P02'), false],
    [new AppError('invalid_request', 'Never.'), false],
    [new TypeError('undefined is not a function'), false],
  ])('%s passes by itself: %s', (error, passes) => {
    expect(isTransient(error)).toBe(passes);
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
