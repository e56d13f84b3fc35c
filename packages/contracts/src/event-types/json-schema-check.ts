import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { DataError, type DataSchema } from '../data-schema.js';

/** Faults that one refusal tells. */
const FAULTS_MAX = 3;

/**
 * Keywords that a schema of a platform does without: the schema is printed in other documents, where a reference would
 * lead elsewhere, and `$async` would let everything pass.
 */
const LEFT_OUT = ['$ref', '$dynamicRef', '$id', '$anchor', '$dynamicAnchor', '$async'];

const ajv = new Ajv2020({
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  addUsedSchema: false,
  logger: false,
});
addFormats.default(ajv);

/** The check of `data` by a JSON Schema (2020-12). @throws Error whose message says what is wrong with the schema */
export function jsonSchemaCheck(schema: object): DataSchema {
  if ((schema as { readonly type?: unknown }).type !== 'object')
    throw new Error('must begin with type: object, because data is a JSON object.');
  const left = keywordIn(schema, LEFT_OUT);
  if (left !== undefined)
    throw new Error(`must not hold ${left}. Write a part that comes twice as a YAML anchor.`);
  const validate = ajv.compile(schema);
  return {
    safeParse: (data) =>
      validate(data)
        ? { success: true }
        : { success: false, error: new DataError(wordsOf(validate.errors ?? [])) },
  };
}

/** Names places in the schema and none in the data, whose names may be what the data hold. */
const wordsOf = (errors: readonly ErrorObject[]): string =>
  `${errors
    .slice(0, FAULTS_MAX)
    .map(({ message, schemaPath }) => `${message} (${schemaPath} of its schema)`)
    .join(', ')}.`;

function keywordIn(value: unknown, keywords: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = keywords.includes(key) ? key : keywordIn(inner, keywords);
    if (found !== undefined) return found;
  }
  return undefined;
}
