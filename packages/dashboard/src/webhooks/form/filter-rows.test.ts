import { describe, expect, it } from '@jest/globals';
import { type Filter, filterOf, rowsOf } from './filter-rows.js';

describe('a filter as rows', () => {
  it.each<[Filter, readonly string[]]>([
    [{ path: 'a.b', gt: 0 }, ['0']],
    [{ path: 'a', equals: 'hello there' }, ['hello there']],
    [{ path: 'a', equals: '5' }, ['"5"']],
    [{ path: 'a', equals: '' }, ['']],
    [{ path: 'a', equals: ' blank ' }, ['" blank "']],
    [{ path: 'a', equals: null }, ['null']],
    [{ path: 'a', in: ['x', 1, true] }, ['x, 1, true']],
    [{ path: 'a', contains: 'x' }, ['x']],
    [{ path: 'a', equals: '9007199254740993' }, ['9007199254740993']],
    [{ path: 'a', exists: false }, ['']],
    [
      {
        all: [
          { path: 'a', lte: 3 },
          { path: 'b', prefix: 'Re:' },
        ],
      },
      ['3', 'Re:'],
    ],
    [
      {
        any: [
          { path: 'a', exists: true },
          { path: 'b', equals: false },
        ],
      },
      ['', 'false'],
    ],
  ])('%j, and back again', (filter, values) => {
    const rows = rowsOf(filter);
    expect(rows?.rows.map(({ value }) => value)).toEqual(values);
    expect(rows && filterOf(rows)).toEqual(filter);
  });

  it.each([
    { not: { path: 'a', equals: 1 } },
    { all: [{ any: [{ path: 'a', equals: 1 }] }] },
    { path: 'a', gt: 1, lt: 3 },
    { path: 'a' },
    { path: 'a', in: ['x,y'] },
    { path: 'a', equals: { b: 1 } },
    { all: [], any: [] },
    [],
    'text',
  ])('is edited as JSON where rows do not tell it: %j', (filter) => {
    expect(rowsOf(filter)).toBeUndefined();
  });

  it('becomes no filter when no row is left', () => {
    expect(filterOf({ match: 'all', rows: [] })).toBeUndefined();
  });
});
