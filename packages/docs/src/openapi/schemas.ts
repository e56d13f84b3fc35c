import { z } from 'zod';

/** A JSON Schema (2020-12), as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Named parts of a document, by their names. */
export interface Components {
  readonly schemas: Map<string, JsonSchema>;
  readonly responses: Map<string, JsonSchema>;
}

/**
 * Returns the JSON Schema of the values that a zod schema accepts (`input`), or of an answer (`output`). Schemas with
 * an id are stored in the components and referenced. Objects of answers stay open, because an answer may get more
 * members one day.
 */
export function jsonSchemaOf(
  schema: z.ZodType,
  components: Components,
  io: 'input' | 'output' = 'input',
): JsonSchema {
  const {
    $schema: _,
    $defs = {},
    ...inline
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'date') {
        Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
      }
      if (io === 'output' && jsonSchema.additionalProperties === false) {
        delete jsonSchema.additionalProperties;
      }
      // Each integer of an answer is one that a double holds.
      if (io === 'output' && jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
        delete jsonSchema.maximum;
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      }
      // Classes of Unicode are not part of every language's expressions.
      if (jsonSchema.pattern?.includes('\\p{')) delete jsonSchema.pattern;
    },
  });
  for (const [name, named] of Object.entries($defs)) addSchema(components, name, relinked(named));
  return relinked(inline);
}

function addSchema({ schemas }: Components, name: string, schema: JsonSchema): void {
  const known = schemas.get(name);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
    throw new Error(`Two schemas are called ${name}.`);
  }
  schemas.set(name, schema);
}

/** References as they are in an OpenAPI document. */
function relinked(schema: object): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as JsonSchema;
}
