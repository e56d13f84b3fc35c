import { describe, expect, it } from '@jest/globals';
import { breaksOf } from './breaks.js';

const string = { type: 'string' };
const answer = (properties: object, required: readonly string[] = []) => ({
  200: { content: { 'application/json': { schema: { type: 'object', properties, required } } } },
});
const operation = {
  parameters: [{ in: 'query', name: 'limit', required: false, schema: string }],
  requestBody: {
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: { url: string, kind: { type: 'string', enum: ['a', 'b'] } },
          required: ['url'],
        },
      },
    },
  },
  responses: answer({ id: string, items: { type: 'array', items: string } }, ['id']),
};
const documentOf = (post: object) => ({ paths: { '/api/things': { post } } });
const landed = documentOf(operation);

const changed = (change: (copy: typeof operation) => void) => {
  const copy = structuredClone(operation);
  change(copy);
  return breaksOf(landed, documentOf(copy));
};
const bodyOf = (copy: typeof operation) => copy.requestBody.content['application/json'].schema;

describe('a list of breaks', () => {
  it('is empty when the document is the same, or only adds', () => {
    expect(breaksOf(landed, landed)).toEqual([]);
    expect(
      changed((copy) => {
        Object.assign(bodyOf(copy).properties, { more: string });
        bodyOf(copy).properties.kind.enum.push('c');
        Object.assign(copy.responses[200].content['application/json'].schema.properties, {
          more: string,
        });
        copy.parameters.push({ in: 'query', name: 'cursor', required: false, schema: string });
      }),
    ).toEqual([]);
  });

  it('names an operation, a parameter or a status that is gone', () => {
    expect(breaksOf(landed, { paths: {} })).toEqual(['POST /api/things is gone.']);
    expect(changed((copy) => copy.parameters.pop())).toEqual([
      'POST /api/things: query limit is gone.',
    ]);
    expect(changed((copy) => Reflect.deleteProperty(copy.responses, '200'))).toEqual([
      'POST /api/things: status 200 is gone.',
    ]);
  });

  it('names what a request has to have, or may not have any more', () => {
    expect(changed((copy) => bodyOf(copy).required.push('kind'))).toEqual([
      'POST /api/things: body.kind is demanded.',
    ]);
    expect(changed((copy) => bodyOf(copy).properties.kind.enum.pop())).toEqual([
      'POST /api/things: body.kind may not be b any more.',
    ]);
    expect(
      changed((copy) => {
        for (const parameter of copy.parameters) parameter.required = true;
      }),
    ).toEqual(['POST /api/things: query limit is demanded.']);
  });

  it('names what an answer has no more, or as another type', () => {
    expect(
      changed((copy) => Object.assign(copy, { responses: answer({ id: string }, ['id']) })),
    ).toEqual(['POST /api/things: body.items is gone.']);
    const numbers = { type: 'array', items: { type: 'number' } };
    const responses = answer({ id: string, items: numbers });
    expect(changed((copy) => Object.assign(copy, { responses }))).toEqual([
      'POST /api/things: body.id is not sure any more.',
      'POST /api/things: body.items[] has another type.',
    ]);
  });

  it('looks behind references', () => {
    const response = operation.responses[200];
    const referring = {
      ...documentOf({ ...operation, responses: { 200: { $ref: '#/components/responses/Thing' } } }),
      components: { responses: { Thing: response } },
    };
    expect(breaksOf(landed, referring)).toEqual([]);
    expect(breaksOf(referring, { ...referring, components: { responses: { Thing: {} } } })).toEqual(
      ['POST /api/things: application/json is gone.'],
    );
  });

  it('looks into alternatives, and once into schemas that refer to themselves', () => {
    const rule = (leaf: object, ...more: readonly object[]) => ({
      anyOf: [
        { type: 'object', properties: { not: { $ref: '#/components/schemas/Rule' } } },
        { type: 'object', properties: leaf },
        ...more,
      ],
    });
    const document = (Rule: object) => {
      const schema = {
        type: 'object',
        properties: { rule: { $ref: '#/components/schemas/Rule' } },
      };
      const requestBody = { content: { 'application/json': { schema } } };
      return { ...documentOf({ requestBody }), components: { schemas: { Rule } } };
    };
    const before = document(rule({ path: string }));
    expect(breaksOf(before, before)).toEqual([]);
    expect(breaksOf(before, document(rule({ path: string, gt: string }, string)))).toEqual([]);
    expect(breaksOf(before, document(rule({ path: { type: 'number' } })))).toEqual([
      'POST /api/things: body.rule.path has another type.',
    ]);
    expect(breaksOf(before, document({ anyOf: rule({}).anyOf.slice(0, 1) }))).toEqual([
      'POST /api/things: body.rule has fewer alternatives.',
    ]);
  });
});
