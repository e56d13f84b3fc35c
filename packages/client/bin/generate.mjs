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
const FORM = 'application/x-www-form-urlencoded';
const IDEMPOTENCY_KEY = '#/components/parameters/IdempotencyKey';

const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
const types = withoutAbsent(
  astToString(await openapiTS(document, { immutable: true, silent: true })),
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
