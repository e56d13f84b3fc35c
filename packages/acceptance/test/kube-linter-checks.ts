import { type Manifest, ofKind } from './manifests.js';

/** Says whether a resource breaks a rule, beside all that it is applied with. */
type Check = (one: Manifest, all: readonly Manifest[]) => boolean;

/** A part of a resource: each check reads other fields, and they differ between kinds. */
type Fields = Manifest['spec'];

const podOf = (one: Manifest): Fields => (one.spec?.template ? one.spec.template.spec : undefined);
const labelsOf = (one: Manifest): Fields => one.spec?.template?.metadata?.labels ?? {};

const inPod =
  (isBroken: (pod: Fields) => boolean): Check =>
  (one) =>
    podOf(one) !== undefined && isBroken(podOf(one));

const inContainer = (isBroken: (container: Fields, pod: Fields) => boolean): Check =>
  inPod((pod) =>
    [...(pod.initContainers ?? []), ...pod.containers].some((one) => isBroken(one, pod)),
  );

const mounts = (path: RegExp): Check =>
  inPod(({ volumes = [] }) => volumes.some(({ hostPath }: Fields) => path.test(hostPath?.path)));

const probes = (probe: string): Check =>
  inContainer(({ ports = [], [probe]: asked }) => {
    const port = (asked?.httpGet ?? asked?.tcpSocket ?? asked?.grpc)?.port;
    const known = ports.flatMap(({ name, containerPort }: Fields) => [name, containerPort]);
    return port !== undefined && !known.includes(port);
  });

const budget =
  (isBroken: (spec: Fields) => boolean): Check =>
  ({ kind, spec }) =>
    kind === 'PodDisruptionBudget' && isBroken(spec);

const matches = (selector: object, labels: Fields): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

/**
 * The checks that kube-linter 0.8.3 makes by default, by its names. The gate has its rules and not itself, because
 * building it takes four minutes of a processor. A few are stricter here than there.
 */
const CHECKS: Readonly<Record<string, Check>> = {
  'dangling-service': ({ kind, spec }, all) =>
    kind === 'Service' &&
    !all.some((one) => podOf(one) && matches(spec.selector ?? {}, labelsOf(one))),
  'deprecated-service-account-field': inPod(
    ({ serviceAccount, serviceAccountName }) =>
      serviceAccount !== undefined && serviceAccount !== serviceAccountName,
  ),
  'docker-sock': mounts(/docker[.]sock$/),
  'drop-net-raw-capability': inContainer(
    ({ securityContext }) =>
      !securityContext?.capabilities?.drop?.some((name: string) => /^(ALL|NET_RAW)$/.test(name)),
  ),
  'duplicate-env-var': inContainer(
    ({ env = [] }) => new Set(env.map(({ name }: Fields) => name)).size < env.length,
  ),
  'env-var-secret': inContainer(({ env = [] }) =>
    env.some(({ name, value }: Fields) => /secret/i.test(name) && value),
  ),
  'host-ipc': inPod(({ hostIPC }) => hostIPC === true),
  'host-network': inPod(({ hostNetwork }) => hostNetwork === true),
  'host-pid': inPod(({ hostPID }) => hostPID === true),
  'invalid-target-ports': inContainer(({ ports = [] }) =>
    ports.some(({ name }: Fields) => !/^(?=.{1,15}$)[a-z0-9]+(-[a-z0-9]+)*$/.test(name)),
  ),
  'job-ttl-seconds-after-finished': ({ kind, spec }) =>
    kind === 'Job' && spec.ttlSecondsAfterFinished === undefined,
  'latest-tag': inContainer(({ image }) => /:latest$|^[^:]*$|[/][^:]+$/.test(image)),
  'liveness-port': probes('livenessProbe'),
  'mismatching-selector': (one) =>
    one.kind !== 'Job' &&
    podOf(one) !== undefined &&
    !matches(one.spec.selector.matchLabels, labelsOf(one)),
  'no-anti-affinity': (one) =>
    one.spec?.replicas > 1 && podOf(one) !== undefined && !podOf(one).affinity?.podAntiAffinity,
  'no-extensions-v1beta': ({ apiVersion }) => apiVersion.startsWith('extensions/v1beta'),
  'no-read-only-root-fs': inContainer(
    ({ securityContext }) => securityContext?.readOnlyRootFilesystem !== true,
  ),
  'non-existent-service-account': (one, all) =>
    podOf(one)?.serviceAccountName !== undefined &&
    !ofKind(all, 'ServiceAccount').some(
      ({ metadata }) => metadata.name === podOf(one).serviceAccountName,
    ),
  'pdb-max-unavailable': budget(({ maxUnavailable }) => [0, '0%'].includes(maxUnavailable)),
  'pdb-min-available': budget(({ minAvailable }) => minAvailable !== undefined),
  'pdb-unhealthy-pod-eviction-policy': budget(
    ({ unhealthyPodEvictionPolicy }) => unhealthyPodEvictionPolicy === undefined,
  ),
  'privilege-escalation-container': inContainer(
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
  ),
  'privileged-container': inContainer(
    ({ securityContext }) => securityContext?.privileged === true,
  ),
  'readiness-port': probes('readinessProbe'),
  'run-as-non-root': inContainer(
    ({ securityContext }, pod) =>
      (securityContext?.runAsNonRoot ?? pod.securityContext?.runAsNonRoot) !== true,
  ),
  'sensitive-host-mounts': mounts(/^[/]/),
  'ssh-port': inContainer(({ ports = [] }) =>
    ports.some(({ containerPort }: Fields) => containerPort === 22),
  ),
  'startup-port': probes('startupProbe'),
  'unsafe-sysctls': inPod(({ securityContext }) => securityContext?.sysctls !== undefined),
  'unset-cpu-requirements': inContainer(({ resources }) => !resources?.requests?.cpu),
  'unset-memory-requirements': inContainer(({ resources }) => !resources?.limits?.memory),
};

/** Returns the names of the checks that a resource does not pass beside all that it is applied with. */
export const brokenChecks = (one: Manifest, all: readonly Manifest[]): readonly string[] =>
  Object.keys(CHECKS).filter((name) => CHECKS[name]?.(one, all));
