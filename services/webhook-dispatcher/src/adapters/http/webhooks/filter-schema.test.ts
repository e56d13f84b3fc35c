import { expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { z } from 'zod';
import { filterProblem } from '../../../domain/webhook/filter-problem.js';
import { filter } from './filter-schema.js';

const documented = new Ajv2020({ strict: false }).compile(
  z.toJSONSchema(z.object({ filter }), { io: 'input', unrepresentable: 'any' }),
);
const asDocumented = (value: unknown) => documented({ filter: value });
const asDecided = (value: unknown) => filterProblem(value) === undefined;

const exists = { path: 'a', exists: true };

it.each([
  [exists],
  [{ path: '0.a b.ä', equals: null }],
  [{ path: Array.from({ length: 10 }, () => 'a').join('.'), in: ['x', 1, false, null] }],
  [{ path: String.raw`a\.b\c\\.\\`, contains: null }],
  [{ path: String.raw`a\\..b`, exists: true }],
  [{ path: `a${String.raw`\\.a`.repeat(10)}`, exists: true }],
  [{ path: `a${String.raw`\.a`.repeat(10)}`, exists: true }],
  [{ path: 'a', contains: [] }],
  [{ path: 'a\nb', gt: 1, gte: '2', lt: -1.5, lte: '', prefix: '' }],
  [{ all: [exists, { any: [{ not: exists }] }] }],
  [{ in: 'x', path: 'a', equals: 1 }],
  [null],
  ['a'],
  [[exists]],
  [{}],
  [{ path: 'a' }],
  [{ exists: true }],
  [{ path: '', exists: true }],
  [{ path: 'a..b', exists: true }],
  [{ path: 'a.', exists: true }],
  [{ path: '.a', exists: true }],
  [{ path: 1, exists: true }],
  [{ path: 'a'.repeat(257), exists: true }],
  [{ path: Array.from({ length: 11 }, () => 'a').join('.'), exists: true }],
  [{ path: 'a', regex: '.*' }],
  [{ path: 'a', toString: 1 }],
  [{ path: 'a', equals: {} }],
  [{ path: 'a', in: [] }],
  [{ path: 'a', in: [[1]] }],
  [{ path: 'a', in: Array.from({ length: 101 }, () => 1) }],
  [{ path: 'a', exists: 'yes' }],
  [{ path: 'a', gt: true }],
  [{ path: 'a', lte: null }],
  [{ path: 'a', prefix: 'x'.repeat(257) }],
  [{ all: [] }],
  [{ any: {} }],
  [{ all: [exists], any: [exists] }],
  [{ all: [exists], path: 'a' }],
  [{ not: [exists] }],
  [{ not: { not: {} } }],
])('the document says of %j what the domain decides', (value) => {
  expect(asDocumented(value)).toBe(asDecided(value));
});

it('the document says of whatever filter what the domain decides', () => {
  const leaf = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom('a', 'a.b', 1, true));
  const names = ['path', 'equals', 'in', 'exists', 'gt', 'prefix', 'other'];
  const condition = fc.record(Object.fromEntries(names.map((name) => [name, leaf])), {
    requiredKeys: [],
  });
  const one = fc.oneof(
    condition,
    fc.record({ not: condition }),
    fc.record({ all: fc.array(condition) }),
  );
  fc.assert(fc.property(one, (value) => expect(asDocumented(value)).toBe(asDecided(value))));
});
