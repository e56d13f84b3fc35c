import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './root.js';
import { nameOf, type Schema } from './schema-words.js';

export interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Content>>;
}

export interface Operation {
  readonly tags: readonly string[];
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Present: no gateway leads to the operation. */
  readonly servers?: readonly object[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-api-key-scope'?: string | null;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

interface Reference {
  readonly $ref: string;
}

interface Document {
  /** Security requirements of operations that name none. */
  readonly security: Operation['security'];
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, Partial<Pick<Operation, 'security'>> & Omit<Operation, 'security'>>>
    >
  >;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

const FILE = path.join(ROOT, 'packages/docs/openapi.json');
export const DOCUMENT = JSON.parse(readFileSync(FILE, 'utf8')) as Document;

/** Names of operations in the order in which callers use them; all others follow. */
const TURNS = [
  /^(?:register|create|configure|authorize)/,
  /^list/,
  /^(?:get|find)/,
  /^(?:change|set)/,
  /^(?:delete|disconnect|end|remove|revoke)/,
];

function turnOf({ operationId }: Operation): number {
  const turn = TURNS.findIndex((names) => names.test(operationId));
  return turn < 0 ? TURNS.length : turn;
}

export const CALLS = Object.entries(DOCUMENT.paths)
  .flatMap(([place, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${place}`,
      operation: { security: DOCUMENT.security, ...operation },
    })),
  )
  .toSorted((one, other) => turnOf(one.operation) - turnOf(other.operation));

const COMMON_SHARE = 0.8;
const ANY_SERVICE = '{service}';

/** An area of the API. Each has a page. */
export interface Area {
  /** Last segment of the page's path. */
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly calls: typeof CALLS;
}

/** The areas of the API: its tags, and for operators one more for what a service alone has. */
export const API_AREAS: readonly Area[] = DOCUMENT.tags.flatMap(({ name, description }) => {
  const label = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const calls = CALLS.filter(({ operation }) => operation.tags[0] === name);
  if (name !== 'operations') return [{ name, label, description, calls }];
  const serviceOf = ({ call }: (typeof CALLS)[number]) => call.split('/')[3] ?? '';
  return [...new Set(calls.map(serviceOf))].map((service) => ({
    name: service === ANY_SERVICE ? name : `${name}-${service}`,
    label: `${label} of ${service === ANY_SERVICE ? 'every service' : service}`,
    description,
    calls: calls.filter((each) => serviceOf(each) === service),
  }));
});

/** Codes of the problems that a response has. */
export const codesOf = ({ allOf = [] }: Schema): readonly string[] =>
  allOf.flatMap(({ properties }) => properties?.['code']?.enum ?? []).map(String);

/** The contents of an answer, with a word for it. */
export const answerOf = (answer: Answer | Reference): Answer =>
  '$ref' in answer ? (DOCUMENT.components.responses[nameOf(answer.$ref)] as Answer) : answer;

const CODES = CALLS.map(({ operation: { responses } }) =>
  Object.values(responses)
    .flatMap((answer) => Object.values(answerOf(answer).content ?? {}))
    .flatMap(({ schema }) => codesOf(schema)),
);

/** Codes that nearly every call may answer with: pages say them once. */
export const COMMON_CODES = [...new Set(CODES.flat())].filter(
  (code) => CODES.filter((codes) => codes.includes(code)).length > CALLS.length * COMMON_SHARE,
);
