import { describe, expect, it } from '@jest/globals';
import { catalogueOf } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { parse } from '@junction/service/http';
import { optionFields } from './option-schemas.js';
import { webhookSchemas } from './webhook-schemas.js';

const { configure, change } = webhookSchemas({ allowPrivateTargets: true }, catalogueOf());
const good = { url: 'https://hooks.example/in', events: ['draft.created'], enabled: true };

describe('the options of a request', () => {
  it('are taken apart from the rest', () => {
    const filter = { all: [{ path: 'n', gte: 1 }] };
    const headers = { 'X-Api-Key': 'k' };
    const signature = 'ed25519';
    const metadata = { order: '17', 'Büro-Nr.': '' };
    const described = { ordered: true, rate_limit: 5, description: 'Büro' };
    const fields = { ...described, retry_schedule: [], metadata, signature, trace_context: true };
    expect(parse(configure, { ...good, ...fields, filter, headers })).toEqual({
      ...good,
      options: {
        ordered: true,
        rateLimit: 5,
        description: 'Büro',
        retrySchedule: [],
        metadata,
        signature,
        traceContext: true,
        filter,
        headers,
      },
    });
  });

  it('may each be null, which is as good as never set', () => {
    const nulls = Object.fromEntries(Object.keys(optionFields).map((name) => [name, null]));
    for (const value of Object.values(parse(change, nulls).options)) expect(value).toBeNull();
  });

  it.each([
    ['ordered', { ordered: 'yes' }, 'invalid_type'],
    ['rate_limit', { rate_limit: 0 }, 'too_small'],
    ['rate_limit', { rate_limit: 1_001 }, 'too_big'],
    ['rate_limit', { rate_limit: 0.5 }, 'invalid_type'],
    ['rate_limit', { rate_limit: '5' }, 'invalid_type'],
    ['description', { description: '' }, 'invalid_format'],
    ['description', { description: 'a\nb' }, 'invalid_format'],
    ['description', { description: '\ud800' }, 'unstorable_text'],
    ['description', { description: 'x'.repeat(501) }, 'too_big'],
    ['retry_schedule', { retry_schedule: 5 }, 'invalid_type'],
    ['retry_schedule.1', { retry_schedule: [1, 0] }, 'too_small'],
    ['retry_schedule.0', { retry_schedule: [86_401] }, 'too_big'],
    ['retry_schedule.0', { retry_schedule: [1.5] }, 'invalid_type'],
    ['retry_schedule', { retry_schedule: Array.from({ length: 21 }, () => 1) }, 'too_big'],
    ['metadata', { metadata: 'a=b' }, 'invalid_type'],
    ['metadata.a', { metadata: { a: 1 } }, 'invalid_type'],
    [`metadata.${'k'.repeat(40)}`, { metadata: { ['k'.repeat(41)]: 'a' } }, 'invalid_format'],
    ['signature', { signature: 'rsa' }, 'invalid_value'],
    ['headers.X-A', { headers: { 'X-A': 1 } }, 'invalid_type'],
    ['headers.Host', { headers: { Host: 'a' } }, 'header_forbidden'],
    ['filter', { filter: 'n > 1' }, 'invalid_type'],
    ['filter.any.0.path', { filter: { any: [{ equals: 1 }] } }, 'filter_path_invalid'],
    ['filter.regex', { filter: { path: 'a', regex: 'b' } }, 'unknown_field'],
    ['colour', { colour: 'red' }, 'unknown_field'],
  ])('name %s in %j', (field, fields, code) => {
    expect(problemsOf({ ...good, ...fields }, configure)).toMatchObject([{ field, code }]);
    expect(problemsOf(fields, change)).toMatchObject([{ field, code }]);
  });
});

function problemsOf(body: object, schema: Parameters<typeof parse>[0]) {
  try {
    parse(schema, body);
  } catch (error) {
    return AppError.from(error).fields;
  }
  return [];
}
