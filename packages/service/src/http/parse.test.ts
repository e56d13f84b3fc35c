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
