import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { parseAllDocuments } from 'yaml';
import { type Manifest, run } from './manifests.js';
import { UNPUBLISHED } from './operator-resources.js';

/** Go modules that publish schemas of resources, each with the hash that its content must have. */
const MODULES = [
  {
    module: 'sigs.k8s.io/gateway-api@v1.6.3',
    sum: 'h1:lKpJa5bGlraC/QeACvCpsHLdmO6y0iKfzVl6gzaFEYc=',
    folder: 'config/crd/standard',
  },
  {
    module: 'github.com/kedacore/keda/v2@v2.20.0',
    sum: 'h1:nPKQL9iKsPpoyq7BftlBzJiQzb2LdKHiqBIEG6ju3bk=',
    folder: 'config/crd/bases',
  },
  {
    module: 'github.com/cert-manager/cert-manager@v1.20.0',
    sum: 'h1:czZamsFJ1YdKPhpv+SopJZN9t3W68vQBnFYUevSHGqY=',
    folder: 'deploy/crds',
  },
  {
    module: 'github.com/cloudnative-pg/cloudnative-pg@v1.30.0',
    sum: 'h1:fnhVq44xXx97MNiuvJsPrX1vSjYbgdyBK5MSGfdHdp0=',
    folder: 'config/crd/bases',
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.88.0',
    sum: 'h1:3T/dCQdk7CUVRqVfwRHoC5g66fC/ML6XQQLtQVL6Q5o=',
    folder: 'example/prometheus-operator-crd',
  },
] as const;

interface Schema {
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
}

interface Definition {
  readonly kind: string;
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

/** A check that returns the mistakes of a custom resource. */
type Check = (one: Manifest) => readonly string[];

/**
 * Returns the check of each `apiVersion kind` that we use. Throws when a module cannot be downloaded or has another
 * hash.
 */
export const customResourceChecks = (): ReadonlyMap<string, Check> =>
  new Map([
    ...publishedChecks(),
    ...Object.entries(UNPUBLISHED).map(([name, schema]): [string, Check] => [
      name,
      (one) =>
        schema
          .safeParse(one.spec)
          .error?.issues.map(({ path, message }) => `${path.join('/')} ${message}`) ?? [],
    ]),
  ]);

function publishedChecks(): readonly (readonly [string, Check])[] {
  const ajv = new Ajv({
    strict: false,
    validateFormats: false,
    unicodeRegExp: false,
    allErrors: true,
  });
  return MODULES.flatMap(definitionsOf).flatMap(({ spec: { group, names, versions } }) =>
    versions.map(({ name, schema }): [string, Check] => {
      let validate: ValidateFunction | undefined;
      const check: Check = (one) => {
        validate ??= ajv.compile(closed(schema.openAPIV3Schema, true));
        validate(one);
        return (validate.errors ?? []).map(
          ({ instancePath, message, params }) =>
            `${instancePath} ${message} ${JSON.stringify(params)}`,
        );
      };
      return [`${group}/${name} ${names.kind}`, check];
    }),
  );
}

/** Returns where the content of a module is, by its name without a version. */
export function moduleFolder(name: string): string {
  const known = MODULES.find(({ module }) => module.startsWith(`${name}@`));
  if (known === undefined) throw new Error(`${name} is none of the modules.`);
  return downloaded(known);
}

/**
 * Returns the definitions that an API server needs for the custom resources among these, as text. Those that are not
 * published let every field pass: `customResourceChecks` looks at these.
 */
export function definitionsFor(manifests: readonly Manifest[]): string {
  const used = new Set(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
  const published = MODULES.flatMap(definitionsOf).filter(({ spec }) =>
    spec.versions.some(({ name }) => used.has(`${spec.group}/${name} ${spec.names.kind}`)),
  );
  const others = Object.keys(UNPUBLISHED).flatMap((name) => (used.has(name) ? [open(name)] : []));
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...published, ...others] });
}

/** Returns a definition that lets every field pass, by `apiVersion kind`. */
function open(name: string) {
  const [, group = '', version, kind = ''] = /^(.+)\/(\S+) (\w+)$/.exec(name) ?? [];
  const plural = `${kind.toLowerCase()}s`;
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural },
      scope: 'Namespaced',
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

/** Downloads a module and returns where its content is. Throws when it has another hash. */
export function downloaded({
  module,
  sum,
}: {
  readonly module: string;
  readonly sum: string;
}): string {
  const got = JSON.parse(run('go', ['mod', 'download', '-json', module])) as {
    readonly Dir: string;
    readonly Sum: string;
  };
  if (got.Sum !== sum) throw new Error(`${module} has the hash ${got.Sum} and not ${sum}.`);
  return got.Dir;
}

function definitionsOf(one: (typeof MODULES)[number]): readonly Definition[] {
  const folder = path.join(downloaded(one), one.folder);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseAllDocuments(readFileSync(path.join(folder, file), 'utf8')))
    .map((document) => document.toJS() as Definition)
    .filter(({ kind }) => kind === 'CustomResourceDefinition');
}

/** Returns the schema so that it refuses unknown fields: the API server would drop them silently. */
function closed({ pattern, ...schema }: Schema, isRoot = false): Schema {
  const { properties, items, additionalProperties } = schema;
  const isOpen =
    schema['x-kubernetes-preserve-unknown-fields'] ||
    schema['x-kubernetes-embedded-resource'] ||
    additionalProperties !== undefined;
  return {
    ...schema,
    // Flags inside of a pattern are Go's alone: of those the value is not checked.
    ...(pattern !== undefined && !/\(\?[a-z]/.test(pattern) && { pattern }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [
          name,
          isRoot && name === 'metadata' ? one : closed(one),
        ]),
      ),
      ...(isOpen ? {} : { additionalProperties: false }),
    }),
    ...(items && { items: closed(items) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: closed(additionalProperties),
    }),
  };
}
