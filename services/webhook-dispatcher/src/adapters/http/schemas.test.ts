import { describe, expect, it } from '@jest/globals';
import { catalogueOf } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { parse } from '@junction/service/http';
import type { z } from 'zod';
import { historySchemas } from './history/history-schemas.js';
import { replayBody } from './replaying/replay-schemas.js';
import { statisticsQuery } from './statistics/statistics-schemas.js';

const { deliveriesQuery } = historySchemas(catalogueOf());

describe('the kinds of a replay', () => {
  const span = { from: '2020-01-02T00:00:00Z', to: '2020-01-03T00:00:00Z' };
  const kindsOf = (fields: object) =>
    parse(replayBody(catalogueOf()), { ...span, ...fields }).kinds;

  it('are named by event_types, and by kinds until the next release', () => {
    expect(kindsOf({})).toBeUndefined();
    for (const name of ['event_types', 'kinds']) {
      expect(kindsOf({ [name]: ['draft.created'] })).toEqual(['draft.created']);
    }
    expect(kindsOf({ event_types: ['draft.created'], kinds: ['meeting.joined'] })).toEqual([
      'draft.created',
    ]);
  });
});

describe('a moment in a query', () => {
  it.each([
    ['from', deliveriesQuery],
    ['to', deliveriesQuery],
    ['from', statisticsQuery],
  ])('is refused with the way to write a + that came as a blank: %s', (field, schema) => {
    const [{ message }] = problemsOf(schema, { [field]: '2030-01-02T03:04:05 02:00' });
    expect(message).toContain('write that as %2B');
  });

  it.each(['2030-01-02', '2030-01-02 03:04:05', '2030-01-02T03:04:05', 'yesterday 10:00'])(
    'is refused with an example when the text is none: %s',
    (from) => {
      const [{ message }] = problemsOf(deliveriesQuery, { from });
      expect(message).toContain('2030-01-02T03:04:05Z');
    },
  );

  it('may have any offset', () => {
    const { from } = parse(deliveriesQuery, { from: '2030-01-02T03:04:05+02:00' });
    expect(from).toEqual(new Date('2030-01-02T01:04:05Z'));
  });
});

describe('the status of a query', () => {
  it.each([
    ['exhausted', ['exhausted']],
    ['exhausted,refused', ['exhausted', 'refused']],
  ])('is one or several: %s', (status, statuses) => {
    expect(parse(deliveriesQuery, { status }).status).toEqual(statuses);
  });

  it.each(['', ',', 'exhausted,', 'exhausted, refused', 'failed', 'exhausted,failed'])(
    'is refused with the list of statuses: %j',
    (status) => {
      const [{ field, message }] = problemsOf(deliveriesQuery, { status });
      expect(field).toBe('status');
      expect(message).toContain('of pending, retrying, held, succeeded');
    },
  );
});

interface Problem {
  readonly field: string;
  readonly message: string;
}

function problemsOf(schema: z.ZodType, query: object): readonly [Problem, ...Problem[]] {
  try {
    parse(schema, query);
  } catch (error) {
    const [first, ...others] = AppError.from(error).fields;
    if (first !== undefined) return [first, ...others];
  }
  throw new Error('Nothing was wrong with it.');
}
