import { describe, expect, it } from '@jest/globals';
import { validateAssistantEvent } from '../assistant-event.js';
import { catalogueOf } from '../event-catalogue.js';
import { dataSchemas } from '../event-kinds.js';
import { assistantEventRecord } from '../event-record.js';
import { parseEventTypes, readEventTypes } from './read-event-types.js';

const GOOD = `event_types:
  invoice.paid:
    description: An invoice was paid.
    schema:
      type: object
      required: [invoice_id]
      properties:
        invoice_id: { type: string }
        amount: { type: integer, minimum: 0 }
        due: { type: string, format: date }
    example: { invoice_id: inv_17, amount: 1200, due: "2030-01-31" }
  invoice.viewed:
    description: An invoice was looked at.
    opt_in: true
    schema: { type: object }
    example: {}
`;

describe('the kinds of EVENT_TYPES_FILE', () => {
  it('have a description, a schema, an example, and whether they are opt-in', () => {
    const [paid, viewed] = parseEventTypes(GOOD, 'types.yaml');
    expect(paid).toMatchObject({
      kind: 'invoice.paid',
      description: 'An invoice was paid.',
      isOptIn: false,
      schema: { required: ['invoice_id'] },
      example: { invoice_id: 'inv_17', amount: 1200, due: '2030-01-31' },
    });
    expect(viewed).toMatchObject({ kind: 'invoice.viewed', isOptIn: true });
  });

  it.each([
    [{ invoice_id: 'inv_17', more: [1] }, undefined],
    [{}, "must have required property 'invoice_id' (#/required of its schema)."],
    [
      { invoice_id: 'inv_17', amount: -1 },
      'must be >= 0 (#/properties/amount/minimum of its schema).',
    ],
    [
      { invoice_id: 'inv_17', due: 'soon, says Ada' },
      'must match format "date" (#/properties/due/format of its schema).',
    ],
  ])('check data, and quote nothing of them: %j', (data, fault) => {
    const verdict = judged('invoice.paid', data);
    expect(verdict).toMatchObject(
      fault === undefined
        ? { ok: true, event: { type: 'invoice.paid' } }
        : { ok: false, code: 'data_invalid', reason: `data of invoice.paid: ${fault}` },
    );
  });

  it('leave the five as strict as they are', () => {
    expect(judged('inbox.organized', {})).toMatchObject({ ok: false, code: 'data_invalid' });
    expect(judged('invoice.sent', {})).toMatchObject({
      ok: false,
      code: 'ce_type_unknown',
      reason: expect.stringContaining('reminder.sent, invoice.paid, invoice.viewed.'),
    });
    const { schemas } = catalogueOf(parseEventTypes(GOOD, 'types.yaml'));
    expect(schemas).toMatchObject(dataSchemas);
  });
});

describe('a file of kinds is refused by its name, the line and what to do', () => {
  it.each([
    ['{', 'Flow map must end with a } at line 1'],
    ['', 'the file: must be an object with event_types.'],
    ['event_types: []', 'line 1, event_types: must be there: the kinds, each by its name.'],
    ['kinds: {}', 'the file: has no field kinds: the fields are event_types.'],
    [GOOD.replace('event_types:', 'a: &a { b: *a }\nevent_types:'), 'the file: has aliases'],
    [
      changed('invoice.paid', 'draft.created'),
      'line 3, event_types.draft.created: is a kind of the',
    ],
    [
      changed('invoice.paid', 'webhook.paid'),
      'event_types.webhook.paid: must not begin with webhook.',
    ],
    [
      changed('invoice.paid', 'InvoicePaid'),
      'event_types.InvoicePaid: must be named by a noun, a dot',
    ],
    [changed('invoice.paid', 'invoice'), 'event_types.invoice: must be named by a noun, a dot'],
    [
      changed('opt_in: true', 'optin: true'),
      'has no field optin: the fields are description, opt_in',
    ],
    [
      changed('opt_in: true', 'opt_in: 1'),
      'line 14, event_types.invoice.viewed.opt_in: must be true',
    ],
    [changed('An invoice was paid.', ''), 'event_types.invoice.paid.description: must be there'],
    [
      changed('example: {}', ''),
      'event_types.invoice.viewed.example: must be there, as an object.',
    ],
    [
      changed('amount: 1200', 'amount: lots'),
      'line 11, event_types.invoice.paid.example: must be int',
    ],
    [changed('type: integer', 'type: money'), 'event_types.invoice.paid.schema: schema is invalid'],
    [changed('minimum: 0', 'minimun: 0'), 'strict mode: unknown keyword: "minimun"'],
    [changed('format: date', 'format: day'), 'unknown format "day"'],
    [changed('{ type: object }', '{ type: array }'), 'viewed.schema: must begin with type: object'],
    [changed('{ type: object }', '{ type: object, $async: true }'), 'must not hold $async'],
    [changed('{ type: string }', '{ $ref: "#/x" }'), 'must not hold $ref. Write a part that comes'],
    [`${GOOD}  invoice.viewed: {}\n`, 'Map keys must be unique at line 17'],
    [`${GOOD}# ${'x'.repeat(1_048_576)}`, 'the file: must have at most 1 MiB.'],
  ])('%#', (text, message) => {
    const parse = () => parseEventTypes(text, '/etc/types.yaml');
    expect(parse).toThrow(/^EVENT_TYPES_FILE: \/etc\/types\.yaml is not usable:\n {2}/);
    expect(parse).toThrow(message);
  });

  it('with every mistake at once', () => {
    const text = changed('format: date', 'format: day').replace('{ type: object }', '{}');
    expect(() => parseEventTypes(text, 'types.yaml')).toThrow(
      /paid\.schema: unknown format[^]*viewed\.schema: must begin/,
    );
    const misnamed = changed('invoice.paid', 'paid').replace('example: {}', '');
    expect(() => parseEventTypes(misnamed, 'types.yaml')).toThrow(
      /paid: must be named[^]*viewed\.example: must be there/,
    );
  });

  it('when it cannot be read', async () => {
    await expect(readEventTypes('/nowhere/types.yaml')).rejects.toThrow(
      'EVENT_TYPES_FILE: /nowhere/types.yaml cannot be read.',
    );
  });
});

describe('files of the repository', () => {
  const at = (name: string) => new URL(`../../../../infra/${name}`, import.meta.url).pathname;

  it('the file that everything starts with adds no kind', async () => {
    const { kinds } = await readEventTypes(at('event-types/event-types.yaml'));
    expect(kinds).toEqual(catalogueOf().kinds);
  });

  it('the example is good', async () => {
    const { kinds, isOptIn } = await readEventTypes(at('event-types.example.yaml'));
    expect(kinds).toContain('invoice.paid');
    expect(isOptIn('invoice.viewed')).toBe(true);
  });
});

function changed(from: string, to: string): string {
  return GOOD.replace(from, to);
}

const judged = (type: string, data: object) => {
  const { schemas } = catalogueOf(parseEventTypes(GOOD, 'types.yaml'));
  const userId = '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d';
  const value = Buffer.from(JSON.stringify(data));
  const record = assistantEventRecord({ id: '1', source: 'tests', type, userId, data: value });
  return validateAssistantEvent({ ...record, timestamp: new Date() }, schemas);
};
