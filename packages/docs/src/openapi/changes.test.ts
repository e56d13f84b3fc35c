import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const PROOF = 'x-recent-proof';

interface Operation {
  readonly operationId: string;
  readonly [PROOF]?: 'sign_in' | 'second_factor';
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: BodySchema }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
  readonly method: string;
  readonly path: string;
}

interface BodySchema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, Omit<Operation, 'method' | 'path'>>>>
  >;
  readonly components: {
    readonly schemas: {
      readonly AccountChange: {
        readonly properties: { readonly kind: { readonly enum: string[] } };
      };
    };
  };
}

const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

const document = JSON.parse(textOf('../../openapi.json')) as OpenApi;
const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, one]) => ({ ...one, method, path })),
);
const undoable = document.components.schemas.AccountChange.properties.kind.enum;

/** Changes, and reads that lead somewhere else or ask for a recent proof. */
const told = operations.filter(
  ({ method, responses, ...one }) =>
    method !== 'get' || ['302', '303'].some((status) => status in responses) || one[PROOF],
);

interface Row {
  readonly wants: readonly string[];
  readonly tells: string;
}

/** The rows of docs/changes.md, by the operation. */
const rows = new Map<string, Row>(
  textOf('../../../../docs/changes.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, calls = '', wants = '', tells = ''] = line.split('|').map((cell) => cell.trim());
      return codesIn(calls).map((id) => [id, { wants: wants.split(', '), tells }] as const);
    }),
);

describe('the page that says what each change asks for and tells', () => {
  it('has a row for every operation that changes something, and for no other', () => {
    const known = new Set(operations.map(({ operationId }) => operationId));
    const missing = told.filter(({ operationId }) => !rows.has(operationId));
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect([...rows.keys()].filter((id) => !known.has(id))).toEqual([]);
  });

  it('says the proof that the operation asks for', () => {
    const proofs = { sign_in: 'sign-in', second_factor: 'second factor' };
    for (const operation of told) {
      const { operationId: id, [PROOF]: proof } = operation;
      const { wants = [] } = rows.get(id) ?? {};
      const found = [
        ...(proof === undefined ? [] : [proofs[proof]]),
        ...(passwordIsProof(operation) ? ['password'] : []),
        ...(isByMail(operation) ? ['mailed token'] : []),
      ];
      expect({ id, wants }).toEqual({ id, wants: found.length === 0 ? ['nothing'] : found });
    }
  });

  it('names every kind of change that a link takes back, as such, and no other kind as such', () => {
    const cells = [...rows.values()].map(({ tells }) => tells).join(' ');
    const named = [...cells.matchAll(/`(\w+_\w+)`( undo)?/g)];
    const [withLink, without] = [true, false].map(
      (isUndone) =>
        new Set(
          named.flatMap(([, kind = '', undo]) => ((undo !== undefined) === isUndone ? kind : [])),
        ),
    );
    expect([...(withLink ?? [])].sort()).toEqual([...undoable].sort());
    expect([...(without ?? [])].filter((kind) => undoable.includes(kind))).toEqual([]);
  });
});

function codesIn(text: string): readonly string[] {
  return [...text.matchAll(/`(\w+)`/g)].flatMap(([, code]) => code ?? []);
}

const fieldsOf = ({ requestBody }: Operation): readonly string[] =>
  Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
    Object.keys(schema.properties ?? {}),
  );

/** Routes that begin a session take the password as the credential itself. */
const OPENING = /^\/api\/auth\/(register|login|session|step-up|verify-email)/;

const passwordIsProof = (operation: Operation): boolean =>
  !OPENING.test(operation.path) &&
  fieldsOf(operation).some((field) => ['password', 'current_password'].includes(field));

/** Links of mails alone have such a token, besides those of portals, which a service hands out. */
const isByMail = (operation: Operation): boolean =>
  operation.path.startsWith('/api/auth/') &&
  (fieldsOf(operation).includes('token') || operation.operationId === 'unsubscribe');
