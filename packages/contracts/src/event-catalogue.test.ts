import { describe, expect, it } from '@jest/globals';
import { catalogueOf, EVENT_CATALOGUE } from './event-catalogue.js';
import { dataSchemas, EVENT_KINDS } from './event-kinds.js';
import { isNoticeKind, noticeSchemas } from './notice-kinds.js';

const OTHERS = EVENT_CATALOGUE.filter(
  ({ kind, isNotice }) => !isNotice && kind !== 'inbox.organized',
);
const { kinds, isOptIn, schemas: written } = catalogueOf();
const schemas = { ...dataSchemas, ...noticeSchemas };

describe('the catalogue of events', () => {
  it('begins with the five kinds of the interface and goes on with our own notices', () => {
    expect(kinds.slice(0, EVENT_KINDS.length)).toEqual(EVENT_KINDS);
    const notices = EVENT_CATALOGUE.filter(({ isNotice }) => isNotice).map(({ kind }) => kind);
    expect(notices).toEqual(Object.keys(noticeSchemas));
    expect(notices.every(isNoticeKind)).toBe(true);
    expect(kinds.filter(isOptIn)).toEqual(notices);
  });

  it.each(EVENT_CATALOGUE)('shows $kind by an example that fits', ({ kind, example }) => {
    expect(schemas[kind].safeParse(example).success).toBe(true);
  });

  it('says what data must hold, and that it may hold more', () => {
    const inbox = EVENT_CATALOGUE.find(({ kind }) => kind === 'inbox.organized');
    expect(inbox?.schema).toMatchObject({
      type: 'object',
      required: ['total_emails', 'categorized'],
      properties: { total_emails: { type: 'integer', minimum: 0 } },
      additionalProperties: {},
    });
  });

  it.each(OTHERS)(
    'describes each field of $kind with its type, and asks for none',
    ({ kind, schema, example }) => {
      const { properties, ...rest } = schema as { properties: Record<string, object> };
      expect(rest).toMatchObject({ type: 'object', additionalProperties: {} });
      expect(rest).not.toHaveProperty('required');
      expect(Object.keys(properties)).toEqual(Object.keys(example));
      for (const [name, field] of Object.entries(properties)) {
        expect(field).toMatchObject({ description: expect.stringMatching(/\.$/) });
        const told: unknown = (example as Record<string, unknown>)[name];
        const type = Array.isArray(told)
          ? 'array'
          : typeof told === 'number'
            ? 'integer'
            : 'string';
        expect(field).toMatchObject({ type });
      }
      expect(schemas[kind].safeParse({}).success).toBe(true);
    },
  );

  it('has the kinds of a platform between the five and our notices, and checks them beside the five', () => {
    const check = { safeParse: () => ({ success: true }) };
    const own = { description: 'An event.', schema: { type: 'object' }, example: {}, check };
    const catalogue = catalogueOf([
      { kind: 'invoice.paid', isOptIn: false, ...own },
      { kind: 'invoice.viewed', isOptIn: true, ...own },
    ]);
    const added = ['invoice.paid', 'invoice.viewed'];
    expect(catalogue.kinds).toEqual(kinds.toSpliced(EVENT_KINDS.length, 0, ...added));
    expect(Object.keys(catalogue.schemas)).toEqual([...EVENT_KINDS, ...added]);
    expect(added.map(catalogue.isOptIn)).toEqual([false, true]);
    expect(catalogue.entries.find(({ kind }) => kind === 'invoice.viewed')).toEqual({
      kind: 'invoice.viewed',
      description: 'An event.',
      isNotice: false,
      isOptIn: true,
      schema: { type: 'object' },
      example: {},
    });
  });

  it('without kinds of a platform is checked by the very schemas of the five', () => {
    expect(written).toBe(dataSchemas);
  });
});
