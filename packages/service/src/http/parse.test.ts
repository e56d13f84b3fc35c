import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { z } from 'zod';
import { parse } from './parse.js';

const webhook = z.strictObject({
  url: z.url(),
  events: z.array(z.enum(['draft.created', 'reminder.sent'])).min(1),
  enabled: z.boolean(),
});

describe('a body', () => {
  it('comes through as the schema has it', () => {
    const body = { url: 'https://x.example', events: ['draft.created'], enabled: true };
    expect(parse(webhook, body)).toEqual(body);
  });

  it('has every mistake named, unknown fields each by their own name', () => {
    expect(fieldsOf({ url: 'nope', events: ['made.up'], foo: 1, bar: 2 })).toEqual({
      url: 'invalid_format',
      'events.0': 'invalid_value',
      enabled: 'required',
      foo: 'unknown_field',
      bar: 'unknown_field',
    });
  });

  it('that is empty has every required field named', () => {
    expect(fieldsOf({})).toEqual({ url: 'required', events: 'required', enabled: 'required' });
  });

  it('has its mistakes named in sentences', () => {
    expect(refusal({ url: 'nope', events: [], foo: 1 })?.message).toBe(
      'The request is not valid. url must be an absolute URL, such as https://example.com/path. ' +
        'events must have at least 1 entry. enabled: This field is required. ' +
        'foo: There is no such field.',
    );
  });

  it('that is no object is wrong itself', () => {
    expect(fieldsOf([])).toEqual({ body: 'invalid_type' });
  });

  it('cannot smuggle a prototype in', () => {
    const body: unknown = JSON.parse(
      '{"url":"https://x.example","events":["draft.created"],"enabled":true,"__proto__":{"a":1}}',
    );
    expect(fieldsOf(body)).toEqual({ __proto__x: 'unknown_field' });
  });

  it('never has its values repeated', () => {
    expect(
      refusal({ url: 'hunter2', events: ['hunter2'], enabled: 'hunter2' })?.message,
    ).not.toContain('hunter2');
  });

  it('with an endless name, or one within another, gets it back cut off', () => {
    const name = 'f'.repeat(10_000);
    const named = z.record(z.string(), z.number());
    for (const error of [refusal({ [name]: 1 }), refusal({ [name]: 'x' }, named)]) {
      expect(error?.fields.at(-1)?.field).toBe(`${'f'.repeat(100)}…`);
      expect(error?.message.length).toBeLessThan(500);
    }
  });

  it('carries a rule of its own under its own code', () => {
    const guarded = z.strictObject({
      url: z.string().refine(() => false, { error: 'No.', params: { code: 'private_address' } }),
    });
    expect(refusal({ url: 'x' }, guarded)?.fields).toEqual([
      { field: 'url', code: 'private_address', message: 'No.' },
    ]);
  });

  it.each([
    [z.string(), 1, 'must be a text.'],
    [z.boolean(), 'yes', 'must be true or false.'],
    [z.array(z.string()), {}, 'must be a list.'],
    [z.strictObject({}), 1, 'must be an object.'],
    [z.int(), 1.5, 'must be a whole number.'],
    [z.coerce.number(), 'x', 'must be a number.'],
    [z.coerce.date(), 'x', 'must be a moment, such as 2030-01-02T03:04:05Z.'],
    [z.int().min(1), 0, 'must be at least 1.'],
    [z.number().max(1_000), 1_001, 'must be at most 1000.'],
    [z.number().positive(), 0, 'must be more than 0.'],
    [z.string().min(1), '', 'must have at least 1 character.'],
    [z.string().max(500), 'x'.repeat(501), 'must have at most 500 characters.'],
    [z.array(z.string()).min(1), [], 'must have at least 1 entry.'],
    [z.array(z.int()).max(2), [1, 2, 3], 'must have at most 2 entries.'],
    [z.coerce.date().max(new Date(0)), '2030', 'must be at most 1970-01-01T00:00:00.000Z.'],
    [z.enum(['a', 'b']), 'c', 'must be one of a, b.'],
    [z.literal('ed25519'), 'rsa', 'must be ed25519.'],
    [z.email(), 'x', 'must be an e-mail address.'],
    [z.uuid(), 'x', 'must be a UUID.'],
    [z.number().multipleOf(5), 3, 'must be a multiple of 5.'],
    [z.union([z.string(), z.boolean()]), 1, 'is not what this field takes.'],
    [z.string().regex(/^a/, 'must begin with a.'), 'b', 'must begin with a.'],
  ])('is refused in words (%#)', (schema, value, words) => {
    expect(refusal({ field: value }, z.object({ field: schema }))?.fields).toMatchObject([
      { field: 'field', message: words },
    ]);
  });

  it('has every text named that would not come back as it was stored', () => {
    const body = {
      url: 'https://x.example/\0',
      events: ['draft.created', 'cut \ud83d'],
      enabled: true,
      '\udc00': 'half a name',
    };
    expect(fieldsOf(body)).toEqual({
      url: 'unstorable_text',
      'events.1': 'unstorable_text',
      '\udc00': 'unstorable_text',
    });
    expect(refusal(body)?.code).toBe('unstorable_text');
    expect(
      refusal({ bytes: Buffer.from('a\0') }, z.object({ bytes: z.unknown() })),
    ).toBeUndefined();
    expect(refusal({ text: '😀' }, z.object({ text: z.string() }))).toBeUndefined();
  });

  it('with a thousand unknown fields gets an answer of bounded length', () => {
    const body = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [`f${i}`.repeat(200), i]),
    );
    expect(refusal(body)?.fields).toHaveLength(50);
    expect(refusal(body)?.message.length).toBeLessThan(10_000);
  });
});

function refusal(body: unknown, schema: z.ZodType = webhook): AppError | undefined {
  try {
    parse(schema, body);
    return undefined;
  } catch (error) {
    return AppError.from(error);
  }
}

const fieldsOf = (body: unknown): Record<string, string> =>
  Object.fromEntries(
    (refusal(body)?.fields ?? []).map(({ field, code }) => [
      field === '__proto__' ? '__proto__x' : field,
      code,
    ]),
  );
