import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Node = Record<string, unknown>;

/** The document that the gateway serves. */
export const document = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
) as Node;

/** Returns the part of an answer that the document does not describe; undefined: the answer is documented. */
export type Undocumented = (answer: Answer) => string | undefined;

export interface Answer {
  readonly method: string;
  /** Without the query, and without `/internal` before the API. */
  readonly path: string;
  /** The answer came from where no gateway leads to. */
  readonly isInternal?: boolean;
  readonly status: number;
  /** Without parameters; empty: there is no body. */
  readonly type: string;
  readonly body: string;
}

/** Members that the document does not name count as undocumented here, though clients have to bear with them. */
export function documentedBy(openApi: Node): Undocumented {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
  ajv.addSchema(closed(openApi), 'openapi');
  const operations = operationsOf(openApi);
  const validators = new Map<string, ValidateFunction>();
  const validatorOf = (pointer: string) => {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    validators.set(pointer, known);
    return known;
  };

  return ({ method, path, isInternal = false, status, type, body }) => {
    const found = operations.filter(
      (one) => one.pattern.test(path) && (isInternal || !one.isInternal),
    );
    // The first that fits is the one that answered: those with names of their own stand before those with ids.
    const operation = found.find((one) => one.method === method.toLowerCase());
    if (operation === undefined) return status === 404 || status === 405 ? undefined : 'operation';
    const response = resolve(openApi, `${operation.pointer}/responses/${status}`);
    if (response === undefined) return `status ${status} ${body}`;
    // A redirect may have a body for people whose browser does not follow it. The document describes Location alone.
    if (body === '' || (status >= 300 && status < 400)) return undefined;
    if (get(openApi, `${response}/content/${escape(type)}`) === undefined) return `type ${type}`;
    if (!type.endsWith('json')) return undefined;
    const validate = validatorOf(`${response}/content/${escape(type)}/schema`);
    if (validate(JSON.parse(body))) return undefined;
    return `${ajv.errorsText(validate.errors)} in ${body}`;
  };
}

interface Operation {
  readonly method: string;
  readonly pattern: RegExp;
  readonly pointer: string;
  /** The operation is answered at the port of the service itself alone. */
  readonly isInternal: boolean;
}

function operationsOf({ paths }: Node): readonly Operation[] {
  return Object.entries(paths as Record<string, Node>)
    .map(([path, item]) => ({ path, item, names: path.split('{').length }))
    .sort((one, other) => one.names - other.names)
    .flatMap(({ path, item }) =>
      Object.entries(item).map(([method, operation]) => ({
        method,
        isInternal: (operation as Node)['servers'] !== undefined,
        pattern: new RegExp(`^${path.replaceAll('.', '[.]').replace(/\{\w+\}/g, '[^/]+')}/?$`),
        pointer: `/paths/${escape(path)}/${method}`,
      })),
    );
}

const escape = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function get(node: unknown, pointer: string): unknown {
  let found = node;
  for (const step of pointer.split('/').slice(1)) {
    found = (found as Node | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return found;
}

/** Returns the pointer behind a reference; a pointer without a reference is returned as it is. */
function resolve(root: Node, pointer: string): string | undefined {
  const found = get(root, pointer) as { $ref?: string } | undefined;
  return found?.$ref === undefined ? found && pointer : found.$ref.slice(1);
}

function closed<T>(node: T): T;
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const inside = Object.entries(node).map(([key, inner]) => [key, closed(inner)] as const);
  const copy: Node = Object.fromEntries(inside);
  const isOpen = typeof copy['properties'] === 'object' && copy['type'] === 'object';
  // The alternatives of a problem's code are said beside what every problem has.
  return isOpen && !isCode(copy) ? { additionalProperties: false, ...copy } : copy;
}

const isCode = ({ properties }: Node): boolean => Object.keys(properties as Node).join() === 'code';
