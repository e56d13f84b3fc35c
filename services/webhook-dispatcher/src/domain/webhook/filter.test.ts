import { describe, expect, it } from '@jest/globals';
import { parseExactly } from '@junction/contracts';
import * as fc from 'fast-check';
import { type Filter, passes } from './filter.js';
import { FILTER_CONDITIONS_MAX, FILTER_DEPTH_MAX, filterProblem } from './filter-problem.js';

const data = {
  total_emails: 42,
  categorized: { important: 0, meetings: 3 },
  subject: 'Re: Offer',
  done: true,
  gone: null,
  to: [{ mail: 'ada@example.com' }, { mail: 'bob@example.com' }],
  labels: ['urgent', 7, null],
  'a.b': { 'c\\': 1, 'd\\e': 2 },
  at: '2026-01-02T03:04:05Z',
};

describe('a filter', () => {
  it.each<[Filter, boolean]>([
    [{ path: 'total_emails', equals: 42 }, true],
    [{ path: 'total_emails', equals: '42' as never }, false],
    [{ path: 'gone', equals: null }, true],
    [{ path: 'missing', equals: null }, false],
    [{ path: 'subject', in: ['x', 'Re: Offer'] }, true],
    [{ path: 'subject', in: ['x'] }, false],
    [{ path: 'gone', exists: true }, true],
    [{ path: 'missing', exists: false }, true],
    [{ path: 'missing', exists: true }, false],
    [{ path: 'categorized.important', gt: 0 }, false],
    [{ path: 'categorized.important', gte: 0 }, true],
    [{ path: 'categorized.meetings', gt: 2, lt: 4 }, true],
    [{ path: 'categorized.meetings', gt: 2, lt: 3 }, false],
    [{ path: 'categorized.meetings', lte: 3 }, true],
    [{ path: 'at', gte: '2026-01-01', lt: '2026-02-01' }, true],
    [{ path: 'at', gt: 5 }, false],
    [{ path: 'at', gte: '2026-01-02T03:04:05Z' }, true],
    [{ path: 'at', gt: '2026-01-02T03:04:05Z' }, false],
    [{ path: 'at', gt: '2026-01-02T03:04:06Z' }, false],
    [{ path: 'done', lt: 'x' }, false],
    [{ path: 'gone.name', exists: true }, false],
    [{ path: 'done', gt: 0 }, false],
    [{ path: 'subject', prefix: 'Re:' }, true],
    [{ path: 'total_emails', prefix: '4' }, false],
    [{ path: 'to.1.mail', equals: 'bob@example.com' }, true],
    [{ path: 'to.2.mail', exists: true }, false],
    [{ path: 'to.length', exists: true }, false],
    [{ path: 'labels', contains: 'urgent' }, true],
    [{ path: 'labels', contains: 'late' }, false],
    [{ path: 'labels', contains: 7 }, true],
    [{ path: 'labels', contains: null }, true],
    [{ path: 'labels', contains: false }, false],
    [{ path: 'subject', contains: 'Offer' }, false],
    [{ path: 'to', contains: 'ada@example.com' }, false],
    [{ path: String.raw`a\.b.c\\`, equals: 1 }, true],
    [{ path: String.raw`a\.b.d\e`, equals: 2 }, true],
    [{ path: 'a.b', exists: true }, false],
    [{ path: 'toString', exists: true }, false],
    [{ path: '__proto__', exists: true }, false],
    [{ path: 'subject.length', exists: true }, false],
  ])('%j passes: %s', (filter, expected) => {
    expect(filterProblem(filter)).toBeUndefined();
    expect(passes(filter, data)).toBe(expected);
    expect(passes({ not: filter }, data)).toBe(!expected);
    expect(passes({ all: [filter, yes] }, data)).toBe(expected);
    expect(passes({ any: [filter, no] }, data)).toBe(expected);
  });

  it.each<[string, Filter, boolean]>([
    ['{"id":9007199254740993}', { path: 'id', equals: 9007199254740992 }, false],
    ['{"id":9007199254740992}', { path: 'id', equals: 9007199254740992 }, true],
    ['{"id":9007199254740992.0}', { path: 'id', equals: 9007199254740992 }, true],
    ['{"id":9007199254740993}', { path: 'id', in: [1, 9007199254740992] }, false],
    ['{"id":9007199254740993}', { path: 'id', gt: 9007199254740992 }, true],
    ['{"id":9007199254740993}', { path: 'id', gte: 9007199254740994 }, false],
    ['{"id":9007199254740993}', { path: 'id', lte: 9007199254740992 }, false],
    ['{"id":9007199254740991.9}', { path: 'id', lt: 9007199254740992 }, true],
    ['{"id":1e400}', { path: 'id', gt: 1.7976931348623157e308 }, true],
    ['{"id":1e400}', { path: 'id', exists: true }, true],
    ['{"id":1e400}', { path: 'id', prefix: '1' }, false],
    ['{"id":1e400}', { path: 'id.compareTo', exists: true }, false],
    ['{"id":[9007199254740993]}', { path: 'id', contains: 9007199254740992 }, false],
    ['{"id":[9007199254740993]}', { path: 'id.0', gt: 9007199254740992 }, true],
    ['{"id":"9007199254740993"}', { path: 'id', equals: '9007199254740993' }, true],
  ])('takes no number for another: %s, %j passes: %s', (text, filter, expected) => {
    expect(passes(filter, parseExactly(text))).toBe(expected);
  });

  it('needs each of its conditions when all must pass', () => {
    expect(passes({ all: [yes, no] }, data)).toBe(false);
    expect(passes({ any: [yes, no] }, data)).toBe(true);
  });

  it.each([
    ['', 'text', 'invalid_type'],
    ['', [], 'invalid_type'],
    ['', null, 'invalid_type'],
    ['path', {}, 'filter_path_invalid'],
    ['path', { equals: 1 }, 'filter_path_invalid'],
    ['path', { path: 'a..b', equals: 1 }, 'filter_path_invalid'],
    ['path', { path: String.raw`a\\.`, equals: 1 }, 'filter_path_invalid'],
    ['contains', { path: 'a', contains: ['x'] }, 'invalid_type'],
    ['path', { path: 'a.'.repeat(10) + 'a', equals: 1 }, 'filter_path_invalid'],
    ['path', { path: 'a'.repeat(257), equals: 1 }, 'filter_path_invalid'],
    ['', { path: 'a' }, 'filter_operator_missing'],
    ['regex', { path: 'a', regex: '.*' }, 'unknown_field'],
    ['toString', { path: 'a', toString: 1 }, 'unknown_field'],
    ['equals', { path: 'a', equals: {} }, 'invalid_type'],
    ['in', { path: 'a', in: [] }, 'invalid_type'],
    ['in', { path: 'a', in: Array.from({ length: 101 }, () => 1) }, 'invalid_type'],
    ['in', { path: 'a', in: [[1]] }, 'invalid_type'],
    ['in', { path: 'a', in: [1, [1]] }, 'invalid_type'],
    ['exists', { path: 'a', exists: 'yes' }, 'invalid_type'],
    ['gt', { path: 'a', gt: true }, 'invalid_type'],
    ['prefix', { path: 'a', prefix: 'x'.repeat(257) }, 'invalid_type'],
    ['all', { all: [] }, 'invalid_type'],
    ['all', { all: {} }, 'invalid_type'],
    ['any', { all: [{ path: 'a', exists: true }], any: [] }, 'unknown_field'],
    [
      'any.1.gt',
      {
        any: [
          { path: 'a', gt: 1 },
          { path: 'a', gt: [] },
        ],
      },
      'invalid_type',
    ],
    ['not.not.path', { not: { not: {} } }, 'filter_path_invalid'],
  ])('is refused at %j: %j', (field, filter, code) => {
    const problem = filterProblem(filter);
    expect(problem?.code).toBe(code);
    expect(problem?.path.join('.')).toBe(field);
  });

  it('is bounded in depth, and told so however deep it is', () => {
    const nested = (depth: number) => {
      let filter: object = { path: 'a', exists: true };
      for (let level = 1; level < depth; level++) filter = { not: filter };
      return filter;
    };
    expect(filterProblem(nested(FILTER_DEPTH_MAX))).toBeUndefined();
    expect(filterProblem(nested(FILTER_DEPTH_MAX + 1))?.code).toBe('filter_too_deep');
    expect(filterProblem(nested(100_000))?.code).toBe('filter_too_deep');
    const inner = nested(FILTER_DEPTH_MAX - 1);
    expect(filterProblem({ any: [inner] })).toBeUndefined();
    expect(filterProblem({ all: [{ any: [inner] }] })?.code).toBe('filter_too_deep');
  });

  it('is bounded in size', () => {
    const wide = (count: number) => ({ any: Array.from({ length: count }, () => yes) });
    expect(filterProblem(wide(FILTER_CONDITIONS_MAX))).toBeUndefined();
    expect(filterProblem(wide(FILTER_CONDITIONS_MAX + 1))?.code).toBe('filter_too_large');
    const largest = {
      path: 'a',
      prefix: 'x'.repeat(256),
      in: Array.from({ length: 100 }, () => 1),
    };
    expect(filterProblem(largest)).toBeUndefined();
  });

  it('never throws on data, whatever it was accepted with', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (path, operand, value) => {
        for (const name of ['equals', 'in', 'exists', 'gt', 'lte', 'prefix', 'contains']) {
          const filter = { path, [name]: operand };
          if (filterProblem(filter) !== undefined) continue;
          expect(typeof passes(filter as never, value)).toBe('boolean');
        }
      }),
    );
  });
});

const yes: Filter = { path: 'done', equals: true };
const no: Filter = { path: 'done', equals: false };
