import { describe, expect, it } from '@jest/globals';
import { breaksOf, isSame } from './additions.js';

const SCHEMA = {
  type: 'object',
  required: ['invoice_id', 'lines'],
  properties: {
    invoice_id: { type: 'string', description: 'Which invoice it is.' },
    currency: { enum: ['EUR', 'USD'] },
    lines: {
      type: 'array',
      items: { type: 'object', properties: { amount: { type: 'integer' } } },
    },
  },
};

/** Breaks of the schema with other keywords at its top, or other properties. */
const breaks = (keywords: object, properties: object = {}) =>
  breaksOf(
    { optIn: false, schema: SCHEMA },
    {
      optIn: false,
      schema: { ...SCHEMA, properties: { ...SCHEMA.properties, ...properties }, ...keywords },
    },
  );

describe('a definition of a kind goes on from the former', () => {
  it.each([
    ['is the same', {}, {}],
    ['adds a property that may be absent', {}, { note: { type: 'string' } }],
    ['changes words for readers', { title: 'Invoice' }, { invoice_id: { type: 'string' } }],
    ['writes a list in another order', { required: ['lines', 'invoice_id'] }, {}],
    [
      'adds a property deep inside',
      {},
      {
        lines: {
          type: 'array',
          items: {
            type: 'object',
            properties: { amount: { type: 'integer' }, text: { type: 'string' } },
          },
        },
      },
    ],
  ])('when it %s', (_, keywords, properties) => {
    expect(breaks(keywords, properties)).toEqual([]);
  });

  it('when the kind is no longer opt-in', () => {
    expect(breaksOf({ optIn: true, schema: SCHEMA }, { optIn: false, schema: SCHEMA })).toEqual([]);
  });
});

describe('a definition of a kind is refused', () => {
  it.each([
    [{ properties: {} }, 'schema.properties.invoice_id is gone'],
    [{ required: ['invoice_id'] }, 'schema.required was ["\\"invoice_id\\"'],
    [{ additionalProperties: false }, 'schema.additionalProperties was absent and is false'],
    [{ minProperties: 2 }, 'schema.minProperties was absent and is 2'],
  ])('when its schema says %j', (keywords, message) => {
    expect(breaks(keywords)).toContainEqual(expect.stringContaining(message));
  });

  it.each([
    [{ invoice_id: { type: 'integer' } }, 'schema.properties.invoice_id.type was "string" and'],
    [{ currency: { enum: ['EUR'] } }, 'schema.properties.currency.enum was'],
    [{ lines: { type: 'array' } }, 'schema.properties.lines.items was {"properties"'],
    [{ lines: false }, 'schema.properties.lines was'],
  ])('when a property becomes %j', (properties, message) => {
    expect(breaks({}, properties)).toEqual([expect.stringContaining(message)]);
  });

  it('when the kind becomes opt-in', () => {
    expect(breaksOf({ optIn: false, schema: SCHEMA }, { optIn: true, schema: SCHEMA })).toEqual([
      expect.stringContaining('opt_in'),
    ]);
  });
});

it('definitions are the same however their members are ordered', () => {
  const one = { optIn: true, schema: { type: 'object', title: 'x' } };
  expect(isSame(one, { schema: { title: 'x', type: 'object' }, optIn: true })).toBe(true);
  expect(isSame(one, { ...one, optIn: false })).toBe(false);
});
