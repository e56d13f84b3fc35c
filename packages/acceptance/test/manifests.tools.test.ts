import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { customResourceChecks } from './custom-resources.js';
import { brokenChecks } from './kube-linter-checks.js';
import {
  buildOverlay,
  hasTopicsJob,
  ofKind,
  parseManifests,
  ROOT,
  run,
  workloadsOf,
} from './manifests.js';

/** The oldest release whose schema has all we use, and the newest we have a schema of. */
const KUBERNETES = ['1.30', '1.37'];
const OVERLAYS = ['development', 'production', 'operators', 'restore'];
/** Prefix of annotations, named after a check, that kube-linter takes for an exception; the value says why. */
const IGNORED = 'ignore-check.kube-linter.io/';
const LONG_RUNNING = ['Deployment', 'StatefulSet'];
const checks = customResourceChecks();

it.each(KUBERNETES)(
  'all are what Kubernetes %s accepts, with no field it does not know',
  (version) => {
    const texts = [...OVERLAYS, '../prometheus-operator'].map(buildOverlay);
    const manifests = texts.flatMap(parseManifests);
    const all = texts.join('---\n');
    const said = run('kubernetes-validate', ['--strict', '-k', version, '-'], all).split('\n');
    const custom = manifests.filter(({ apiVersion }) => isCustom(apiVersion));
    const passed = said.filter((line) => line.startsWith('INFO') && line.endsWith(version));
    const unknown = said.filter((line) => line.startsWith('WARN'));
    expect(passed).toHaveLength(manifests.length - custom.length);
    expect(unknown).toHaveLength(custom.length);
  },
);

describe.each(OVERLAYS)('the manifests for %s', (overlay) => {
  const manifests = parseManifests(buildOverlay(overlay));
  const workloads = workloadsOf(manifests);
  const containers = workloads.flatMap(({ name, kind, pod }) =>
    [...(pod.initContainers ?? []), ...pod.containers].map((container) => ({
      of: `${kind} ${name}`,
      kind,
      container,
    })),
  );
  const named = (kind: string) => ofKind(manifests, kind).map(({ metadata }) => metadata.name);

  it('are what the operators accept, with no field they do not know', () => {
    const custom = manifests.filter(({ apiVersion }) => isCustom(apiVersion));
    expect(custom.length).toBeGreaterThanOrEqual({ development: 0, production: 2 }[overlay] ?? 30);
    for (const one of custom) {
      const { apiVersion, kind, metadata } = one;
      const said = checks.get(`${apiVersion} ${kind}`)?.(one);
      expect({ kind, name: metadata.name, said }).toHaveProperty('said', []);
    }
  });

  it('run every pod under the restricted standard', () => {
    expect(ofKind(manifests, 'Namespace').map(({ metadata }) => metadata.labels)).toEqual([
      expect.objectContaining({ 'pod-security.kubernetes.io/enforce': 'restricted' }),
    ]);
    expect(workloads.length).toBeGreaterThanOrEqual(7);
    for (const { name, pod } of workloads) {
      expect({ name, ...pod }).toMatchObject({
        name,
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: expect.any(Number),
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      for (const host of ['hostNetwork', 'hostPID', 'hostIPC'])
        expect(pod).not.toHaveProperty(host);
      const kinds = (pod.volumes ?? []).flatMap((volume) => Object.keys(volume));
      const allowed = ['name', 'configMap', 'emptyDir', 'projected', 'secret'];
      expect(allowed).toEqual(expect.arrayContaining(kinds));
    }
    for (const { of, container } of containers) {
      expect({ of, securityContext: container.securityContext }).toEqual({
        of,
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      });
      expect({ of, mounts: container.volumeMounts }).toEqual({
        of,
        mounts: expect.arrayContaining([{ name: 'tmp', mountPath: '/tmp' }]),
      });
    }
  });

  it('pass the default checks of kube-linter, but for what an annotation gives a reason for', () => {
    for (const one of manifests) {
      const { name, annotations = {} } = one.metadata;
      const excused = Object.entries(annotations)
        .filter(([key, reason]) => key.startsWith(IGNORED) && reason.length > 'no reason'.length)
        .map(([key]) => key.slice(IGNORED.length));
      expect({ name, broken: brokenChecks(one, manifests) }).toEqual({ name, broken: excused });
    }
  });

  it('bound what every container takes, processors only of what nobody waits for, and probe what runs on', () => {
    const cpu = expect.any(String);
    const memory = expect.stringMatching(/^\d+Mi$/);
    for (const { of, kind, container } of containers) {
      const isOurs = kind === 'Deployment' && container.name === 'app';
      const limits = isOurs ? { memory } : { cpu, memory };
      expect({ of, resources: container.resources }).toEqual({
        of,
        resources: { requests: { cpu, memory }, limits },
      });
      if (!LONG_RUNNING.includes(kind)) continue;
      const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
      expect({ of, probes }).toEqual({ of, probes: probes.map(() => expect.any(Object)) });
      expect(container.livenessProbe?.httpGet?.path).not.toBe('/internal/health/ready');
    }
  });

  it('mount volumes that exist, of ConfigMaps and accounts that exist', () => {
    for (const { kind, name, pod } of workloads) {
      const { volumes = [], serviceAccountName } = pod;
      const claims = LONG_RUNNING.includes(kind) ? ['data'] : [];
      const known = [...volumes.map((volume) => volume.name), ...claims];
      const mounted = pod.containers.flatMap(({ volumeMounts = [] }) => volumeMounts);
      expect({ name, known }).toEqual({
        name,
        known: expect.arrayContaining(mounted.map((mount) => mount.name)),
      });
      const maps = volumes.flatMap(({ configMap }) => (configMap ? [configMap.name] : []));
      expect(named('ConfigMap')).toEqual(expect.arrayContaining(maps));
      if (serviceAccountName) expect(named('ServiceAccount')).toContain(serviceAccountName);
    }
    const accounts = ofKind(manifests, 'ServiceAccount');
    for (const account of accounts)
      expect(account).toHaveProperty('automountServiceAccountToken', false);
  });

  it('select pods that exist', () => {
    const selects = (labels: object) =>
      workloads.filter(({ labels: own }) =>
        Object.entries(labels).every(([name, value]) => own[name] === value),
      );
    for (const { kind, metadata, spec } of manifests) {
      const { selector, podSelector } = (spec ?? {}) as Selectors;
      const labels = podSelector?.matchLabels ?? selector?.matchLabels ?? selector;
      if (kind === 'Job' || labels === undefined) continue;
      const found = selects(labels);
      expect({ kind, name: metadata.name, found: found.length > 0 }).toHaveProperty('found', true);
      if (kind !== 'Service') continue;
      const ports = found.flatMap(({ pod }) => pod.containers.flatMap(({ ports = [] }) => ports));
      for (const { port, targetPort } of spec.ports) {
        expect(ports).toContainEqual({ name: targetPort, containerPort: port });
      }
    }
  });

  it('keep each of our services up through a rollout and a drained node', () => {
    const ours = ofKind(manifests, 'Deployment').filter(({ metadata }) =>
      ['service', 'gateway'].includes(metadata.labels?.['junction.dev/role'] ?? ''),
    );
    const names = ours.map(({ metadata }) => metadata.name).sort();
    expect(names).toEqual(['auth', 'gateway', 'integrations', 'webhook-dispatcher']);
    for (const { spec } of ours) {
      expect(spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
      const itsOwn = {
        maxSkew: 1,
        nodeTaintsPolicy: 'Honor',
        labelSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'junction' } },
        matchLabelKeys: ['app.kubernetes.io/name', 'pod-template-hash'],
      };
      expect(spec.template.spec.topologySpreadConstraints).toEqual([
        {
          ...itsOwn,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'DoNotSchedule',
        },
        {
          ...itsOwn,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'ScheduleAnyway',
        },
      ]);
    }
    const budgets = ofKind(manifests, 'PodDisruptionBudget');
    expect(budgets.map(({ spec }) => spec.selector.matchLabels['app.kubernetes.io/name'])).toEqual(
      names,
    );
    for (const { spec } of budgets) expect(spec).toHaveProperty('maxUnavailable', 1);
  });

  it('scale at what a replica requests, from two replicas on', () => {
    const scaled = [
      ...ofKind(manifests, 'HorizontalPodAutoscaler').map(({ spec }) => ({
        name: spec.scaleTargetRef.name,
        least: spec.minReplicas,
        cpu: spec.metrics[0].resource.target.averageValue,
      })),
      ...ofKind(manifests, 'ScaledObject').map(({ spec }) => ({
        name: spec.scaleTargetRef.name,
        least: spec.minReplicaCount,
        cpu: spec.triggers[0].metadata.value,
      })),
    ];
    expect(scaled).toHaveLength(overlay === 'development' ? 0 : 4);
    for (const { name, least, cpu } of scaled) {
      const pod = workloads.find((one) => one.kind === 'Deployment' && one.name === name)?.pod;
      expect(pod?.containers.map(({ resources }) => resources.requests.cpu)).toEqual([cpu]);
      expect(least).toBeGreaterThanOrEqual(2);
    }
  });

  it('hold no Secret, one release, and Jobs whose names change with what is in them', () => {
    expect(named('Secret')).toEqual([]);
    const images = containers.map(({ container }) => container.image);
    const ours = images.filter((image) => image.includes('junction/'));
    expect(new Set(ours.map((image) => image.split(':')[1])).size).toBe(1);
    const releases = manifests
      .filter(({ apiVersion }) => !isCustom(apiVersion))
      .flatMap(({ metadata }) => metadata.labels?.['app.kubernetes.io/version'] ?? []);
    expect(new Set(releases).size).toBe(1);
    expect(named('Job')).toHaveLength(hasTopicsJob(overlay) ? 4 : 3);
    for (const job of named('Job')) expect(job).toMatch(/^(topics|[a-z-]+-migrate)-[a-z0-9]{10}$/);
  });
});

// kube-linter 0.8.3 itself found each of its 31 default checks broken in this file.
it('finds what breaks each check of kube-linter', () => {
  const broken = parseManifests(
    readFileSync(path.join(ROOT, 'packages/acceptance/test/kube-linter-broken.yaml'), 'utf8'),
  );
  expect(new Set(broken.flatMap((one) => brokenChecks(one, broken))).size).toBe(31);
});

it.each(['ScaledObject', 'Kafka'])('refuses a field that no operator knows in a %s', (wanted) => {
  const [one] = ofKind(parseManifests(buildOverlay('operators')), wanted);
  if (one === undefined) throw new Error(`There is no ${wanted}.`);
  const check = checks.get(`${one.apiVersion} ${one.kind}`);
  expect(check?.(one)).toEqual([]);
  expect(check?.({ ...one, spec: { ...one.spec, replikas: 3 } })).toHaveLength(1);
});

it('tells Prometheus Operator what to scrape, to probe and to alert on, and Grafana what to show', () => {
  const manifests = parseManifests(buildOverlay('../prometheus-operator'));
  const custom = manifests.filter(({ apiVersion }) => isCustom(apiVersion));
  expect([...new Set(custom.map(({ kind }) => kind))].sort()).toEqual([
    'AlertmanagerConfig',
    'PodMonitor',
    'Probe',
    'PrometheusRule',
  ]);
  for (const one of custom) expect(checks.get(`${one.apiVersion} ${one.kind}`)?.(one)).toEqual([]);

  const workloads = workloadsOf(parseManifests(buildOverlay('production')));
  const scraped = ofKind(manifests, 'PodMonitor').flatMap(({ spec }) => {
    const labels = Object.entries(spec.selector.matchLabels ?? { none: '' });
    return workloads
      .filter(({ labels: own }) => labels.every(([name, value]) => own[name] === value))
      .filter(({ pod }) =>
        pod.containers[0]?.ports?.some(({ name }) => name === spec.podMetricsEndpoints[0].port),
      );
  });
  expect(scraped.map(({ name }) => name).sort()).toEqual([
    'auth',
    'gateway',
    'integrations',
    'webhook-dispatcher',
  ]);
  const shown = ofKind(manifests, 'ConfigMap').flatMap(({ data = {} }) => Object.keys(data));
  const dashboards = path.join(ROOT, 'infra/observability/grafana/dashboards');
  expect(shown.sort()).toEqual([...readdirSync(dashboards), 'blackbox.yml'].sort());
});

it('has an Ingress that may stand for the HTTPRoute, to the same host and port', () => {
  const overlay = mkdtempSync(path.join(ROOT, 'infra/k8s/overlays/try-'));
  try {
    cpSync(path.join(ROOT, 'infra/k8s/overlays/production'), overlay, { recursive: true });
    const file = path.join(overlay, 'kustomization.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('- http-route.yaml', '- ingress.yaml'));
    const built = buildOverlay(path.basename(overlay));
    const [ingress] = ofKind(parseManifests(built), 'Ingress');
    const [route] = ofKind(parseManifests(buildOverlay('production')), 'HTTPRoute');
    expect(ingress?.spec.rules.map(({ host }: { host: string }) => host)).toEqual(
      route?.spec.hostnames,
    );
    expect(ingress?.spec.rules[0].http.paths).toMatchObject([
      { path: '/', backend: { service: { name: 'gateway', port: { name: 'http' } } } },
    ]);
    for (const version of KUBERNETES) {
      expect(() =>
        run('kubernetes-validate', ['--strict', '-k', version, '-'], built),
      ).not.toThrow();
    }
  } finally {
    rmSync(overlay, { recursive: true });
  }
});

it('offers the development providers as npm start does', () => {
  const read = (file: string): unknown =>
    parse(readFileSync(path.join(ROOT, 'infra', file), 'utf8'));
  const own = read('k8s/overlays/development/providers.yaml');
  expect(own).toEqual(read('providers.development.yaml'));
});

interface Selectors {
  readonly selector?: { readonly matchLabels?: object };
  readonly podSelector?: { readonly matchLabels?: object };
}

const CUSTOM = [
  'gateway.networking.k8s.io',
  'keda.sh',
  'cert-manager.io',
  'cnpg.io',
  'strimzi.io',
  'coreos.com',
];

/** Returns whether a group exists only in clusters where its operator is installed. */
const isCustom = (apiVersion: string): boolean =>
  CUSTOM.some((group) => apiVersion.split('/')[0]?.endsWith(group));
