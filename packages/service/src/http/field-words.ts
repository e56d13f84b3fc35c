import type { z } from 'zod';

/** Names of types, for readers who do not know JSON Schema. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a moment, such as 2030-01-02T03:04:05Z',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'an absolute URL, such as https://example.com/path',
  uuid: 'a UUID',
  datetime: 'a moment, such as 2030-01-02T03:04:05Z',
};

/**
 * Says what is wrong with a field when its schema has no words of its own: `must be at most 1000.` The words read on
 * from the name of the field, and never quote what was sent.
 */
export function fieldWords(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? `of the type ${issue.expected}`}.`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}.`;
    case 'too_big':
      return sizeWords(
        issue.origin,
        issue.inclusive === false ? 'less than' : 'at most',
        issue.maximum,
      );
    case 'too_small':
      return sizeWords(
        issue.origin,
        issue.inclusive === false ? 'more than' : 'at least',
        issue.minimum,
      );
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'written as the documentation of this field says'}.`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}.`;
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return 'is not what this field takes.';
  }
}

function sizeWords(origin: string, comparison: string, bound: number | bigint): string {
  const [one, many] = UNITS[origin] ?? [];
  if (one !== undefined)
    return `must have ${comparison} ${bound} ${Number(bound) === 1 ? one : many}.`;
  return `must be ${comparison} ${origin === 'date' ? new Date(Number(bound)).toISOString() : bound}.`;
}

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};
