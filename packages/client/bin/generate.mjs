#!/usr/bin/env node
// packages/docs/openapi.json → packages/client/src/gen/openapi.ts, in the folder it is run in.
//
//   generate.mjs          writes it
//   generate.mjs --check  fails when the file is not exactly that
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';

const DOCUMENT = 'packages/docs/openapi.json';
const GENERATED = 'packages/client/src/gen/openapi.ts';
const PROBLEM = 'application/problem+json';
const FORM = 'application/x-www-form-urlencoded';
const IDEMPOTENCY_KEY = '#/components/parameters/IdempotencyKey';

const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
const types = withoutAbsent(
  astToString(await openapiTS(withOneRefusal(document), { immutable: true, silent: true })),
);
const posts = Object.entries(document.paths).filter(([, { post }]) => post !== undefined);
const keyed = posts.filter(([, { post }]) =>
  post.parameters.some(({ $ref }) => $ref === IDEMPOTENCY_KEY),
);
const forms = posts.filter(([, { post }]) => post.requestBody?.content[FORM] !== undefined);
const setOf = (all) =>
  `ReadonlySet<string> = new Set(${JSON.stringify(
    all.map(([template]) => template),
    undefined,
    4,
  )});`;

const queries = Object.entries(document.paths).flatMap(([template, { get }]) => {
  const asked = (get?.parameters ?? []).filter((one) => one.in === 'query');
  if (asked.length === 0) return [];
  const known = asked.map(({ name, description, schema }) => ({ name, description, ...schema }));
  return [`    ${JSON.stringify(template)}: ${JSON.stringify(known)},\n`];
});

/**
 * Puts one answer, with every code, in the place of the problems of each operation: callers branch on codes, and
 * compare them with the codes of all operations.
 */
function withOneRefusal({ components, paths, ...rest }) {
  const known = components.responses;
  const isProblem = (name) => Object.keys(known[name]?.content ?? {}).join() === PROBLEM;
  const others = Object.entries(known).filter(([name]) => !isProblem(name));
  const responses = { ...Object.fromEntries(others), Refusal: refusalOf(Object.values(known)) };
  const operationOf = (one) => {
    const kept = Object.entries(one.responses).filter(
      ([, { $ref = '' }]) => !isProblem($ref.split('/').at(-1)),
    );
    const refusal = { $ref: '#/components/responses/Refusal' };
    return { ...one, responses: { ...Object.fromEntries(kept), default: refusal } };
  };
  return {
    ...rest,
    paths: mapped(paths, (item) => mapped(item, operationOf)),
    components: { ...components, responses },
  };
}

function refusalOf(responses) {
  const codesOf = ({ content }) => content[PROBLEM]?.schema.allOf[1].properties.code.enum ?? [];
  const codes = { enum: [...new Set(responses.flatMap(codesOf))] };
  const allOf = [
    { $ref: '#/components/schemas/Problem' },
    { type: 'object', properties: { code: codes } },
  ];
  return { description: 'A problem.', content: { [PROBLEM]: { schema: { allOf } } } };
}

function mapped(members, change) {
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, change(value)]));
}

/** Leaves out what says nothing: members that nothing has, the objects that are empty without them, any headers. */
function withoutAbsent(made) {
  return made
    .replace(/^ +readonly \w+\?: never;\n/gm, '')
    .replace(/^ +readonly parameters: \{\n +\};\n/gm, '')
    .replace(/^ +headers: \{\n +readonly \[name: string\]: unknown;\n +\};\n/gm, '');
}

const text = `/** Made by bin/generate.mjs, with openapi-typescript, from ${DOCUMENT}. */

${types}
/** The paths whose POST takes an Idempotency-Key. */
export const KEYED_POSTS: ${setOf(keyed)}

/** The paths whose POST takes a form. */
export const FORM_POSTS: ${setOf(forms)}

/** Parameters of the queries of GET, by path, for programs that make options or forms of them. */
export const QUERIES: Readonly<Record<string, readonly QueryParameter[]>> = {
${queries.join('')}};

export interface QueryParameter {
    readonly name: string;
    readonly description?: string;
    readonly type?: string;
    readonly enum?: readonly string[];
    readonly minimum?: number;
    readonly maximum?: number;
    readonly format?: string;
    readonly default?: unknown;
    readonly [keyword: string]: unknown;
}
`;

if (!process.argv.includes('--check')) {
  mkdirSync(path.dirname(GENERATED), { recursive: true });
  writeFileSync(GENERATED, text);
} else if (!existsSync(GENERATED) || readFileSync(GENERATED, 'utf8') !== text) {
  console.error(`${GENERATED} is not what ${DOCUMENT} says. Run \`npm run generate\`.`);
  process.exit(1);
}
