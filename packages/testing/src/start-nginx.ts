import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Upstream } from '@junction/local-stack';
import { freePort, spawnGuarded } from '@junction/local-stack/process';
import { eventually } from './eventually.js';

const INFRA = path.resolve(import.meta.dirname, '../../../infra/gateway');
const STOP_GRACE_MS = 5_000;
const SHUTTING_DOWN = 'is shutting down';

/** The replicas of each service, as host:port. */
export type Replicas = Readonly<Record<Upstream, readonly string[]>>;

export interface NginxOptions {
  readonly upstreams: Replicas;
  /** The dashboard's files; absent: none. */
  readonly siteDir?: string;
  /**
   * Addresses of proxies whose word about the client counts, as in the cluster's trusted-proxies.conf; absent:
   * none.
   */
  readonly trustedProxies?: readonly string[];
  /** Origins that may frame the portal, as a deployment's portal-origins.conf lists them; absent: none. */
  readonly portalOrigins?: readonly string[];
}

/** The gateway of the containers, as a process of its own. */
export interface Nginx {
  /** Address without a path or a slash at the end. */
  readonly url: string;
  /** Where it answers Prometheus. */
  readonly metricsUrl: string;
  /** Returns the access log: one JSON line for each answered request. */
  accessLog(): string;
  /** Returns the error log of nginx. */
  errorLog(): string;
  /** Serves these replicas from now on. Resolves when no new connection meets the old ones. */
  reload(upstreams: Replicas): Promise<void>;
  /** Lets requests in flight finish, as in a container. */
  stop(): Promise<void>;
}

/** Starts the system's nginx with infra/gateway. Throws with the words of nginx when it cannot start. */
export async function startNginx({
  upstreams,
  siteDir,
  trustedProxies = [],
  portalOrigins = [],
}: NginxOptions): Promise<Nginx> {
  const runDir = mkdtempSync(path.join(tmpdir(), 'junction-nginx-'));
  const [accessLog, errorLog, config] = ['access.log', 'error.log', 'nginx.conf'].map((name) =>
    path.join(runDir, name),
  ) as [string, string, string];
  const [port, metricsPort] = [await freePort(), await freePort()];
  const places = { port, metricsPort, runDir, accessLog, siteDir: siteDir ?? runDir };
  writeFileSync(config, nginxConf(places));
  const writeUpstreams = (replicas: Replicas) =>
    writeFileSync(path.join(runDir, 'upstreams.conf'), upstreamsConf(replicas));
  writeUpstreams(upstreams);
  writeIncluded(runDir, { trustedProxies, portalOrigins });

  const child = spawnNginx(config, errorLog);
  const ended = child.exited.then(({ code }) => {
    throw new Error(`nginx ended with ${code}: ${readFileSync(errorLog, 'utf8')}`);
  });
  ended.catch(() => undefined);

  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await child.stop();
    rmSync(runDir, { recursive: true, force: true });
  };
  try {
    await Promise.race([ended, eventually(() => fetch(`${url}/healthz`))]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    metricsUrl: `http://127.0.0.1:${metricsPort}/internal/metrics`,
    accessLog: () => readFileSync(accessLog, 'utf8'),
    errorLog: () => readFileSync(errorLog, 'utf8'),
    async reload(replicas) {
      writeUpstreams(replicas);
      await replaceWorkers(child.pid, () => readFileSync(errorLog, 'utf8'));
    },
    stop,
  };
}

function spawnNginx(config: string, errorLog: string) {
  return spawnGuarded({
    command: 'nginx',
    args: ['-c', config, '-e', 'stderr', '-g', `daemon off;${asOurselves()}`],
    log: errorLog,
    stopSignal: 'SIGQUIT',
    graceMs: STOP_GRACE_MS,
  });
}

/** The files of a deployment that nginx.conf includes where they are. */
function writeIncluded(
  runDir: string,
  { trustedProxies, portalOrigins }: Record<'trustedProxies' | 'portalOrigins', readonly string[]>,
): void {
  writeFileSync(path.join(runDir, 'trusted-proxies.conf'), trustedProxiesConf(trustedProxies));
  const origins = `set $portal_origins "${portalOrigins.join(' ')}";\n`;
  writeFileSync(path.join(runDir, 'portal-origins.conf'), origins);
}

interface Places {
  readonly port: number;
  readonly metricsPort: number;
  readonly runDir: string;
  readonly accessLog: string;
  readonly siteDir: string;
}

/** infra/gateway/nginx.conf, with the container's ports and folders replaced. */
const nginxConf = ({ port, metricsPort, runDir, accessLog, siteDir }: Places): string =>
  replaced('nginx.conf', [
    [/\/tmp\//g, `${runDir}/`],
    [/\/dev\/stdout/g, accessLog],
    [/listen 8080;/g, `listen ${port};`],
    [/listen 8081;/g, `listen ${metricsPort};`],
    [/127\.0\.0\.1:8081/g, `127.0.0.1:${metricsPort}`],
    [/root \/usr\/share\/nginx\/html;/g, `root ${siteDir};`],
  ]);

/** infra/gateway/upstreams.conf with these replicas, without the name server that only compose has. */
const upstreamsConf = ({ auth, integrations, webhooks }: Replicas): string => {
  const servers = (replicas: readonly string[]) =>
    replicas.map((replica) => `server ${replica}$1;`).join('\n  ');
  return replaced('upstreams.conf', [
    [/^resolver .*\n/gm, ''],
    [/server auth:\d+(.*) resolve;/g, servers(auth)],
    [/server integrations:\d+(.*) resolve;/g, servers(integrations)],
    [/server webhook-dispatcher:\d+(.*) resolve;/g, servers(webhooks)],
  ]);
};

/** infra/k8s/base/gateway/trusted-proxies.conf, with these addresses. */
const trustedProxiesConf = (proxies: readonly string[]): string =>
  [
    ...proxies.map((proxy) => `set_real_ip_from ${proxy};`),
    'real_ip_header X-Forwarded-For;',
    'real_ip_recursive on;',
  ].join('\n');

/** A file of infra/gateway, with every pattern replaced. Throws when it has not all of them. */
function replaced(file: string, replacements: readonly (readonly [RegExp, string])[]): string {
  const original = readFileSync(path.join(INFRA, file), 'utf8');
  return replacements.reduce((text, [pattern, by]) => {
    if (text.search(pattern) === -1) throw new Error(`${file} has no ${pattern.source}.`);
    return text.replace(pattern, by);
  }, original);
}

/** Has nginx run its workers as root when this process is root: as `nobody` they could not enter a test's folders. */
const asOurselves = () => (process.getuid?.() === 0 ? ' user root;' : '');

/** Old workers accept connections until their title says otherwise. */
async function replaceWorkers(master: number, errors: () => string): Promise<void> {
  const old = workersOf(master);
  process.kill(master, 'SIGHUP');
  await eventually(() => {
    const serving = workersOf(master).filter((pid) => !titleOf(pid).includes(SHUTTING_DOWN));
    if (serving.length > 0 && serving.every((pid) => !old.includes(pid))) return;
    throw new Error(`nginx still serves the old configuration. ${errors()}`);
  });
}

const workersOf = (master: number): readonly number[] =>
  readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ').map(Number);

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return SHUTTING_DOWN; // and gone
  }
}
