import type { Schemas } from '../../api/types.js';

/**
 * Returns the paths that filters can use, taken from the examples of the catalogue: `categorized.important`. Lists
 * are not opened.
 */
export const pathsIn = (catalogue: readonly Schemas['EventType'][]): readonly string[] => [
  ...new Set(catalogue.flatMap(({ example }) => pathsOf(example, ''))),
];

const pathsOf = (data: object, prefix: string): readonly string[] =>
  Object.entries(data).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? pathsOf(value, `${prefix}${name}.`)
      : [prefix + name],
  );
