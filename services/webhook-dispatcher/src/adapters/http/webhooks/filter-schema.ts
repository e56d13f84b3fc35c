import { z } from 'zod';
import type { Filter } from '../../../domain/webhook/filter.js';
import {
  FILTER_CONDITIONS_MAX,
  FILTER_DEPTH_MAX,
  FILTER_LIST_MAX,
  FILTER_TEXT_MAX,
  filterProblem,
  PATH_PATTERN,
} from '../../../domain/webhook/filter-problem.js';

const text = { type: 'string', maxLength: FILTER_TEXT_MAX };
const bound = { anyOf: [{ type: 'number' }, text] };
const scalar = { anyOf: [text, { type: 'number' }, { type: 'boolean' }, { type: 'null' }] };
const inner = { $ref: '#/$defs/Filter' };

const listOf = (items: object) => ({
  type: 'array',
  items,
  minItems: 1,
  maxItems: FILTER_LIST_MAX,
});

const objectOf = (required: string, properties: object) => ({
  type: 'object',
  properties,
  required: [required],
  additionalProperties: false,
});

/**
 * Schema of a filter. The domain checks the filter, because its problems name the field. The JSON Schema says the same
 * in documents and clients, except for the bounds of the whole filter, which JSON Schema cannot express.
 */
export const filter = z
  .custom<Filter>()
  .superRefine((value, context) => {
    const problem = filterProblem(value);
    if (problem === undefined) return;
    const { code, message, path } = problem;
    context.addIssue({ code: 'custom', params: { code }, message, path: [...path] });
  })
  .meta({
    id: 'Filter',
    description: `Which events pass, by their \`data\`: a condition on the value at a path, or conditions in groups. At most ${FILTER_DEPTH_MAX} levels deep, with ${FILTER_CONDITIONS_MAX} conditions. A number must be one that a double (IEEE 754) holds as it is written: a larger or finer one is refused, and one in \`data\` equals none.`,
    anyOf: [
      objectOf('all', { all: listOf(inner) }),
      objectOf('any', { any: listOf(inner) }),
      objectOf('not', { not: inner }),
      {
        ...objectOf('path', {
          path: {
            ...text,
            pattern: PATH_PATTERN,
            description:
              'Names with dots between them; a number is a place in a list. `\\.` is a dot within a name, `\\\\` a backslash.',
          },
          equals: scalar,
          in: listOf(scalar),
          exists: { type: 'boolean' },
          gt: bound,
          gte: bound,
          lt: bound,
          lte: bound,
          prefix: text,
          contains: {
            ...scalar,
            description: 'The value is a list, and this is in it.',
          },
        }),
        // The path, and what is asked of it.
        minProperties: 2,
      },
    ],
  });
