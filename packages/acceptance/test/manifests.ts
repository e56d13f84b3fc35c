import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';

export const ROOT = path.resolve(import.meta.dirname, '../../..');

type Labels = Readonly<Record<string, string>>;

interface KeyReference {
  readonly name: string;
  readonly key: string;
}

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: KeyReference };
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly Variable[];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly resources: {
    readonly requests: { readonly cpu: string };
    readonly limits: { readonly memory: string };
  };
  readonly securityContext?: unknown;
}

interface SecretVolume {
  readonly secretName: string;
  readonly optional?: boolean;
  readonly items?: readonly { readonly key: string }[];
}

export interface Volume {
  readonly name: string;
  readonly emptyDir?: unknown;
  readonly secret?: SecretVolume;
  readonly configMap?: { readonly name: string };
  readonly projected?: {
    readonly sources: readonly {
      readonly secret: {
        readonly name: string;
        readonly items: readonly { readonly key: string }[];
      };
    }[];
  };
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: unknown;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly data?: Labels;
  // Each test reads other fields, and they differ between kinds.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly spec?: any;
}

/** A resource that creates pods. */
export interface Workload {
  readonly kind: string;
  readonly name: string;
  readonly labels: Labels;
  readonly pod: PodSpec;
}

const built = new Map<string, string>();

/**
 * Returns everything that `kubectl apply -k infra/k8s/overlays/<name>` would send, as text. An overlay is built once
 * for each file of tests, which takes more than a second.
 */
export function buildOverlay(name: string): string {
  const known = built.get(name);
  if (known !== undefined) return known;
  const text = run('kubectl', ['kustomize', path.join(ROOT, 'infra/k8s/overlays', name)]);
  built.set(name, text);
  return text;
}

/** Returns whether topics are made by a Job, and not by Strimzi. */
export const hasTopicsJob = (overlay: string): boolean =>
  ['development', 'production'].includes(overlay);

export const parseManifests = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);

export const workloadsOf = (manifests: readonly Manifest[]): readonly Workload[] =>
  manifests
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind))
    .map(({ kind, metadata, spec }) => {
      const template = spec.template as { metadata: { labels: Labels }; spec: PodSpec };
      const { labels } = template.metadata;
      return { kind, name: metadata.name, labels, pod: template.spec };
    });

export const ofKind = (manifests: readonly Manifest[], kind: string): readonly Manifest[] =>
  manifests.filter((manifest) => manifest.kind === kind);

export interface SecretUse {
  readonly name: string;
  /** Absent: all of its keys, as files. */
  readonly key?: string;
}

/** The keys of Secrets a pod does not start without. */
export const secretsOf = ({ containers, volumes = [] }: PodSpec): readonly SecretUse[] => [
  ...containers.flatMap(({ env = [] }) =>
    env.flatMap(({ valueFrom }) => (valueFrom ? [valueFrom.secretKeyRef] : [])),
  ),
  ...volumes.flatMap(({ secret, projected }) => [
    ...(secret && !secret.optional ? keysOf(secret) : []),
    ...(projected?.sources ?? []).flatMap(({ secret: { name, items } }) =>
      items.map(({ key }) => ({ name, key })),
    ),
  ]),
];

const keysOf = ({ secretName: name, items }: SecretVolume): readonly SecretUse[] =>
  items?.map(({ key }) => ({ name, key })) ?? [{ name }];

/** Secret to keys, from the table in docs/operate/secrets.md. */
export function documentedSecrets(): ReadonlyMap<string, readonly string[]> {
  const text = readFileSync(path.join(ROOT, 'docs/operate/secrets.md'), 'utf8');
  const codeIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.flatMap((row) => {
      const [, names, keys] = row.split('|');
      return codeIn(names).map((name) => [name, codeIn(keys)] as const);
    }),
  );
}

/** The variables a container starts with; `secret` says what a Secret's key holds. */
export function environmentOf(
  { env = [], envFrom = [] }: Container,
  manifests: readonly Manifest[],
  secret: (reference: KeyReference) => string,
): Record<string, string> {
  const maps = envFrom.map(({ configMapRef: { name } }) => {
    const map = ofKind(manifests, 'ConfigMap').find(({ metadata }) => metadata.name === name);
    if (map?.data === undefined) throw new Error(`There is no ConfigMap ${name}.`);
    return map.data;
  });
  const own = env.map(({ name, value = '', valueFrom }) => [
    name,
    valueFrom === undefined ? value : secret(valueFrom.secretKeyRef),
  ]);
  const all = Object.assign({}, ...maps, Object.fromEntries(own)) as Record<string, string>;
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [
      name,
      value.replaceAll(/\$\((\w+)\)/g, (whole, other: string) => all[other] ?? whole),
    ]),
  );
}

/** Runs a program and returns its standard output. Throws when the program is missing, by name, or when it fails. */
export function run(program: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { input, encoding: 'utf8' });
  if (error) throw new Error(`${program} could not be run (${error.message}): see CONTRIBUTING.md`);
  if (status !== 0) throw new Error(`${program} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
