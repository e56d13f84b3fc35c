import { SERVICES } from '@junction/contracts';

/** An operation of openapi.json, as far as the document says who may call it, and how. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** Path with the names of its parameters: `/api/webhooks/{id}`. */
  readonly path: string;
  /** The operation is called at the port of the service itself, under `/internal`, and not at the gateway. */
  readonly isInternal: boolean;
  /** Alternative requirements, of which a caller must meet one; empty: anybody may call the operation. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** Scope that an API key or a portal needs; null: neither may call the operation. */
  readonly apiKeyScope: string | null | undefined;
  /** Codes of the problems that the operation answers. */
  readonly codes: ReadonlySet<string>;
  readonly body?: Body;
}

interface Body {
  readonly type: string;
  readonly example: object | undefined;
}

/** An object of the document. */
export type Node = Readonly<Record<string, unknown>>;

const JSON_TYPE = 'application/json';
const PROBLEM_TYPE = 'application/problem+json';

/**
 * Returns the operations of a document, in its order: one of users and services twice, once for each door, and
 * one that every service has once for each. */
export function operationsOf(document: Node): readonly Operation[] {
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Node>>>>;
  const concrete = Object.entries(paths).flatMap(([path, item]) =>
    (path.includes('{service}') ? SERVICES : ['']).map(
      (service) => [path.replace('{service}', service), item] as const,
    ),
  );
  return concrete.flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, node]) =>
      placesOf({ security: document['security'], ...node }).map((place) => ({
        id: String(node['operationId']),
        method: method.toUpperCase(),
        path,
        ...place,
        apiKeyScope: node['x-api-key-scope'] as Operation['apiKeyScope'],
        codes: codesOf(document, node['responses'] as Node),
        ...bodyOf(node['requestBody'] as Node | undefined),
      })),
    ),
  );
}

function placesOf(node: Node): readonly Pick<Operation, 'isInternal' | 'security'>[] {
  const security = node['security'] as Operation['security'];
  if (node['servers'] !== undefined) return [{ isInternal: true, security }];
  const ofService = security.filter((scheme) => 'service' in scheme);
  const ofOthers = security.filter((scheme) => !('service' in scheme));
  if (ofService.length === 0 || ofOthers.length === 0) return [{ isInternal: false, security }];
  return [
    { isInternal: false, security: ofOthers },
    { isInternal: true, security: ofService },
  ];
}

/** Returns the beginning of the operation's line in the table: `GET /api/webhooks`. */
export const nameOf = ({ method, path, isInternal }: Operation): string =>
  `${method} ${isInternal ? '/internal' : ''}${path}`;

function codesOf(document: Node, responses: Node): ReadonlySet<string> {
  const schemas = Object.values(responses).map((response) => {
    const { content } = followed(document, response as Node) as { content?: Readonly<Node> };
    return (content?.[PROBLEM_TYPE] as { schema?: unknown } | undefined)?.schema;
  });
  const parts = schemas.flatMap(
    (schema) => (schema as { allOf?: unknown[] } | undefined)?.allOf ?? [],
  );
  return new Set(
    parts.flatMap((part) => {
      const { properties } = part as { properties?: { code?: { enum?: readonly string[] } } };
      return properties?.code?.enum ?? [];
    }),
  );
}

function followed(document: Node, node: Node): Node {
  const { $ref: reference } = node;
  if (typeof reference !== 'string') return node;
  const steps = reference.split('/').slice(1);
  return steps.reduce((found, step) => found[step] as Node, document);
}

function bodyOf(requestBody: Node | undefined): { readonly body?: Body } {
  const content = (requestBody?.['content'] ?? {}) as Readonly<
    Record<string, { example?: object }>
  >;
  const type = JSON_TYPE in content ? JSON_TYPE : Object.keys(content)[0];
  return type === undefined ? {} : { body: { type, example: content[type]?.example } };
}
