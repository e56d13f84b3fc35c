import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createConfig, lint } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const FILE = new URL('../../openapi.json', import.meta.url);

interface Media {
  readonly schema: object;
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const document = JSON.parse(readFileSync(FILE, 'utf8')) as Document;
const operations = [document.paths, document.webhooks].flatMap((part) =>
  Object.values(part).flatMap((item) => Object.values(item)),
);

describe('the OpenAPI document', () => {
  it('keeps the rules of OpenAPI 3.1, as a foreign linter knows them', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        // The first route that fits a path answers, and names of their own stand before ids.
        'no-ambiguous-paths': 'off',
        // Redirects of browsers have no other answer.
        'operation-2xx-response': 'off',
      },
    });
    const problems = await lint({ ref: FILE.pathname, config });

    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('describes each operation beyond its summary', () => {
    const calls = Object.values(document.paths).flatMap((item) => Object.values(item));
    const bare = calls.filter(({ description }) => description === undefined);
    expect(bare.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('has an example of each body that has members, and its schema lets it in', () => {
    const ajv = addFormats.default(new Ajv2020({ strict: false }));
    ajv.addSchema(document, 'openapi');
    const examples = operations.flatMap(({ operationId, requestBody }) =>
      Object.values(requestBody?.content ?? {}).flatMap(({ schema, example }) =>
        example === undefined ? [] : [{ operationId, schema: absolute(schema), example }],
      ),
    );

    expect(examples.length).toBeGreaterThan(30);
    for (const { operationId, schema, example } of examples) {
      const isLetIn = ajv.validate(schema, example);
      expect({ operationId, isLetIn, errors: ajv.errors }).toMatchObject({ isLetIn: true });
    }
  });
});

/** References that are found from outside of the document. */
const absolute = (schema: object): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object;
