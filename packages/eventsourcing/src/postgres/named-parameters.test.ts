import { describe, expect, it } from '@jest/globals';
import { namedParameters } from './named-parameters.js';

describe('Named parameters', () => {
  it('are numbered by where they first occur, and sent once', () => {
    const bind = namedParameters('select :b, :a, :b where x = :a');

    expect(bind({ a: 1, b: 2 })).toEqual({
      text: 'select $1, $2, $1 where x = $2',
      values: [2, 1],
    });
  });

  it('leave the text alone for other values, so that it can stay prepared', () => {
    const bind = namedParameters('select :a');

    expect(bind({ a: 1 }).text).toBe(bind({ a: [2] }).text);
  });

  it.each([
    ['a cast', 'select :a::uuid[]', 'select $1::uuid[]'],
    ['a string', `select ':a', 'it''s :a', :a`, `select ':a', 'it''s :a', $1`],
    ['a quoted name', 'select ":a""b:a", :a', 'select ":a""b:a", $1'],
    ['a comment', '-- :a\nselect :a /* :a\n:a */', '-- :a\nselect $1 /* :a\n:a */'],
  ])('are told from %s', (_, sql, text) => {
    expect(namedParameters(sql)({ a: 0 }).text).toBe(text);
  });

  it('may have names of several words', () => {
    const bind = namedParameters('select :webhookId, :webhook_id');

    expect(bind({ webhookId: 1, webhook_id: 2 }).values).toEqual([1, 2]);
  });

  it('may be null', () => {
    expect(namedParameters('select :a')({ a: null }).values).toEqual([null]);
  });

  it.each([
    ['a missing value', { a: 1 }, 'Parameter :b has no value.'],
    ['an undefined value', { a: 1, b: undefined }, 'Parameter :b has no value.'],
    ['an unknown name', { a: 1, b: 2, c: 3 }, 'The statement has no parameter :c.'],
    ['what every object inherits', { a: 1, b: 2, toString: 3 }, 'no parameter :toString.'],
  ])('refuse %s', (_, values, message) => {
    expect(() => namedParameters('select :a, :b')(values)).toThrow(message);
  });

  it('refuse a number beside them, which would stand for one of them', () => {
    expect(() => namedParameters('select :a, $1')).toThrow('Parameter $1 has no name.');
  });
});
