import { describe, expect, it } from '@jest/globals';
import { catalogueOf } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { parse } from '@junction/service/http';
import * as fc from 'fast-check';
import { historySchemas, noBody } from './history/history-schemas.js';
import { replayBody as replayBodyOf } from './replaying/replay-schemas.js';
import { allStatisticsQuery, statisticsQuery } from './statistics/statistics-schemas.js';
import { optionFields } from './webhooks/option-schemas.js';
import { pageQuery, rotation, webhookSchemas } from './webhooks/webhook-schemas.js';

type Schema = Parameters<typeof parse>[0];

const catalogue = catalogueOf();
const { configure, change } = webhookSchemas({ allowPrivateTargets: false }, catalogue);
const { allDeliveriesQuery, deliveriesQuery, eventsQuery, testBody } = historySchemas(catalogue);
const replayBody = replayBodyOf(catalogue);
const webhook = { url: 'https://hooks.example.com/in', events: ['draft.created'], enabled: true };
const span = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' };

/** Values as they come over the wire: JSON has numbers and names that no literal here has. */
const HOSTILE = [
  'null',
  'true',
  '-1',
  '0.5',
  '1e309',
  '9007199254740993',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"__proto__"',
  JSON.stringify('a'.repeat(10_000)),
  JSON.stringify('é'.repeat(10_000)),
  '[]',
  '[null]',
  '[1e309]',
  '["\\ud800"]',
  `${'['.repeat(60)}${']'.repeat(60)}`,
  '{}',
  '{"__proto__":"x"}',
  '{"constructor":"x"}',
  '{"path":"n","gt":1e309}',
  '{"path":"n","in":[1e309]}',
  '{"path":"__proto__.x","__proto__":1}',
  `${'{"not":'.repeat(60)}1${'}'.repeat(60)}`,
  JSON.stringify({ ['a'.repeat(10_000)]: 'x' }),
];

/** Hostile values, as JSON, that a field may hold all the same; by the name of the field. */
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  enabled: ['true'],
  paused: ['true'],
  confirm: ['true'],
  ordered: ['null', 'true'],
  rate_limit: ['null'],
  description: ['null', '" "', '"__proto__"'],
  filter: ['null'],
  retry_schedule: ['null', '[]'],
  headers: ['null', '{}', '{"constructor":"x"}'],
  metadata: ['null', '{}', '{"constructor":"x"}'],
  signature: ['null'],
  trace_context: ['null', 'true'],
  secret: ['"__proto__"'],
};

const OPTIONS = Object.keys(optionFields);

describe('a field of a body', () => {
  it.each([
    ...fieldsOf('configure', configure, webhook, [...Object.keys(webhook), 'secret', ...OPTIONS]),
    ...fieldsOf('PATCH', change, {}, [...Object.keys(webhook), 'paused', ...OPTIONS]),
    ...fieldsOf('rotate-secret', rotation, {}, ['secret']),
    ...fieldsOf('replay', replayBody, span, [
      'from',
      'to',
      'event_types',
      'kinds',
      'outcomes',
      'confirm',
    ]),
    ...fieldsOf('test', testBody, { kind: 'draft.created' }, ['kind']),
  ])('is named when its value is hostile: $field of $name', ({ schema, good, field }) => {
    const taken = HOSTILE.filter((text) =>
      isTaken(schema, bodyOf({ ...good, [field]: text }), field),
    );
    expect(taken).toEqual(TAKEN[field] ?? []);
  });

  it.each(['abc\n', 'abc\u00a0', 'WHSEC_AAAA'])('takes no secret that gets lost: %j', (secret) => {
    const refusals = [
      refusalOf(configure, { ...webhook, secret }),
      refusalOf(change, { secret }),
      refusalOf(rotation, { secret }),
    ];
    for (const refusal of refusals)
      expect(refusal?.fields).toMatchObject([{ field: 'secret', code: 'secret_unusable' }]);
  });

  it('takes the secret away when it is null', () => {
    expect(parse(change, { secret: null })).toMatchObject({ secret: null });
  });

  it.each([
    ['configure', configure, webhook],
    ['PATCH', change, {}],
    ['rotate-secret', rotation, {}],
    ['replay', replayBody, span],
    ['test', testBody, { kind: 'draft.created' }],
    ['redeliver', noBody, {}],
  ] as const)('is named when %s has no such field', (_, schema, good) => {
    for (const field of ['colour', '__proto__', 'constructor', 'user_id', 'status']) {
      expect(isTaken(schema, bodyOf({ ...textsOf(good), [field]: '1' }), field)).toBe(false);
    }
  });

  it('holds each kind once, however often the request names it', () => {
    const events = ['draft.created', 'inbox.organized', 'draft.created'];
    expect(parse(configure, { ...webhook, events }).events).toEqual([
      'inbox.organized',
      'draft.created',
    ]);
  });

  it('takes as events only kinds, and wildcards that cover one', () => {
    expect(
      parse(configure, { ...webhook, events: ['draft.created', '*', 'webhook.*'] }).events,
    ).toEqual(['*', 'webhook.*']);
    for (const text of ['made.*', '**', '*.joined', '.*', 'meeting']) {
      const refusal = refusalOf(configure, { ...webhook, events: ['*', text] });
      expect(refusal?.fields).toMatchObject([{ field: 'events.1', code: 'unknown_kind' }]);
    }
  });

  it('is refused by name, or stays the same when it is stored', () => {
    const requests = fc.record(
      Object.fromEntries(['events', 'secret', ...OPTIONS].map((name) => [name, fc.jsonValue()])),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(requests, (request) => {
        const refusal = refusalOf(configure, { ...webhook, ...request });
        if (refusal) {
          const names = new Set(refusal.fields.map(({ field }) => field.split('.')[0]));
          expect(Object.keys(request)).toEqual(expect.arrayContaining([...names]));
        } else {
          const taken = parse(configure, { ...webhook, ...request });
          expect(JSON.parse(JSON.stringify(taken))).toEqual(taken);
        }
      }),
    );
  });
});

describe('a body', () => {
  it.each(['null', '[]', '"text"', '1', 'true'])('is named as a whole when it is %s', (text) => {
    for (const schema of [configure, change, rotation, replayBody, testBody, noBody]) {
      expect(refusalOf(schema, JSON.parse(text))?.fields).toMatchObject([{ field: 'body' }]);
    }
  });

  it('has its missing fields named when it is empty', () => {
    const needed = (schema: Schema) => refusalOf(schema, {})?.fields.map(({ field }) => field);
    expect(needed(configure)).toEqual(['url', 'events']);
    expect(needed(replayBody)).toEqual(['from', 'to']);
    expect(needed(testBody)).toEqual(['event_type']);
  });
});

describe('a query', () => {
  const LIMITS = ['', ' 5', '5 ', '-1', '0', '201', '0x10', '1e1', '1e309', '1.0', '٣', '+5'];
  const WORDS = ['', ' ', 'odd', '\u0000', '\ud800', '__proto__', 'x'.repeat(10_000)];
  const MOMENTS = [
    ...WORDS,
    '2020-01-01',
    '2020-01-01T00:00:00',
    '2020-02-30T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-14:00',
    '+275760-09-13T00:00:00Z',
    '1577836800000',
  ];
  const DELIVERY_FIELDS = ['limit', 'cursor', 'status', 'kind', 'from', 'to', 'colour'];
  const DELIVERY_WORDS = ['http_status', 'message_id'];
  const hostile: Readonly<Record<string, readonly string[]>> = {
    limit: [...LIMITS, ...WORDS],
    cursor: [...WORDS, 'wh_', '1.msg_1', '-1.msg_0190f3a0-0000-5000-8000-000000000000'],
    status: WORDS,
    kind: WORDS,
    http_status: [...WORDS, '5', '600', '099', '5XX', '5x', 'xxx', '0x1', '500 ', '50x', '2e2'],
    message_id: [...WORDS, 'msg_', 'wh_0190f3a0-0000-7000-8000-000000000000'],
    webhook_id: [...WORDS, 'wh_', 'msg_0190f3a0-0000-5000-8000-000000000000'],
    webhook_ids: [
      ...WORDS,
      'wh_',
      ',wh_0190f3a0-0000-7000-8000-000000000000',
      Array.from({ length: 101 }, () => 'wh_0190f3a0-0000-7000-8000-000000000000').join(),
    ],
    from: MOMENTS,
    to: MOMENTS,
    colour: ['red'],
  };

  it.each([
    ['the webhooks', pageQuery, ['limit', 'cursor', 'colour']],
    ['the deliveries', deliveriesQuery, [...DELIVERY_FIELDS, ...DELIVERY_WORDS]],
    ['all deliveries', allDeliveriesQuery, [...DELIVERY_FIELDS, ...DELIVERY_WORDS, 'webhook_id']],
    ['the events', eventsQuery, ['limit', 'cursor', 'kind', 'colour']],
    ['the statistics', statisticsQuery, ['from', 'to', 'colour']],
    ['all statistics', allStatisticsQuery, ['from', 'to', 'webhook_id', 'webhook_ids', 'colour']],
  ] as const)('has its wrong parameters named for %s', (_, schema, fields) => {
    for (const field of fields) {
      // Named twice, it is a list.
      const values = [...(hostile[field] ?? []), ['1', '2']];
      const taken = values.filter((value) => isTaken(schema, { [field]: value }, field));
      expect({ field, taken }).toEqual({ field, taken: [] });
    }
  });

  it.each([
    ['the deliveries', deliveriesQuery],
    ['the statistics', statisticsQuery],
    ['all statistics', allStatisticsQuery],
  ] as const)('goes from a moment to a later one for %s', (_, schema) => {
    const backwards = { from: span.to, to: span.from };
    expect(refusalOf(schema, backwards)?.fields).toMatchObject([{ field: 'to' }]);
    expect(parse(schema as Schema, span)).toMatchObject({
      from: new Date(span.from),
      to: new Date(span.to),
    });
  });

  it('counts one webhook or several', () => {
    const webhook_id = 'wh_0190f3a0-0000-7000-8000-000000000000';
    expect(parse(allStatisticsQuery, { webhook_id })).toMatchObject({ webhook_id });
    expect(
      refusalOf(allStatisticsQuery, { webhook_id, webhook_ids: webhook_id })?.fields,
    ).toMatchObject([{ field: 'webhook_id' }]);
  });

  it('asks for 31 days of statistics at most', () => {
    const wide = { from: '2020-01-01T00:00:00Z', to: '2020-02-01T00:00:00.001Z' };
    expect(refusalOf(statisticsQuery, wide)?.fields).toMatchObject([{ field: 'from' }]);
  });

  it('may be empty', () => {
    for (const schema of [pageQuery, deliveriesQuery, eventsQuery]) {
      expect(parse(schema as Schema, {})).toMatchObject({ limit: 50 });
    }
    expect(parse(deliveriesQuery, { limit: '200' })).toMatchObject({ limit: 200 });
  });

  it.each([
    ['500', { min: 500, max: 500 }],
    ['4xx', { min: 400, max: 499 }],
  ])('takes the HTTP status %s as %j', (text, range) => {
    expect(parse(allDeliveriesQuery, { http_status: text })).toMatchObject({ http_status: range });
  });
});

function fieldsOf(name: string, schema: Schema, good: object, fields: readonly string[]) {
  return fields.map((field) => ({ name, schema, good: textsOf(good), field }));
}

function textsOf(good: object): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(good).map(([name, value]) => [name, JSON.stringify(value)]),
  );
}

/** The body with the text of each field put in as it is. */
const bodyOf = (texts: Readonly<Record<string, string>>): unknown =>
  JSON.parse(
    `{${Object.entries(texts)
      .map(([name, text]) => `"${name}":${text}`)
      .join()}}`,
  );

/** False: it is refused, by the name of this field alone and in few words. */
function isTaken(schema: Schema, input: unknown, field: string): boolean {
  const refusal = refusalOf(schema, input);
  if (refusal === undefined) return true;
  expect(refusal.kind).toBe('invalid');
  expect(['invalid_request', 'unstorable_text']).toContain(refusal.code);
  for (const one of refusal.fields) expect(`${one.field}.`).toContain(`${field}.`);
  expect(refusal.fields.length).toBeGreaterThan(0);
  expect(refusal.message.length).toBeLessThan(2_000);
  return false;
}

function refusalOf(schema: Schema, input: unknown): AppError | undefined {
  try {
    parse(schema, input);
    return undefined;
  } catch (error) {
    return AppError.from(error);
  }
}
