import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  freePort,
  nginxConfig,
  nginxUpstreams,
  PAGES_FILE,
  type Replicas,
  ROUTES_FILE,
  readPageRules,
  readRoutingTable,
  spawnGuarded,
} from '@junction/local-stack';
import { eventually } from './eventually.js';

const STOP_GRACE_MS = 5_000;
const SHUTTING_DOWN = 'is shutting down';

export interface NginxOptions {
  /** The replicas of each service, as host:port. */
  readonly upstreams: Replicas;
  /** The dashboard's files; absent: none. */
  readonly siteDir?: string;
}

/** The front door of the containers, as a process of its own. */
export interface Nginx {
  /** Without a path and a slash at the end. */
  readonly url: string;
  /** One JSON line for each answered request. */
  accessLog(): string;
  /** What nginx says of itself. */
  errorLog(): string;
  /** Serves these replicas from now on. Resolves when no new connection meets the old ones. */
  reload(upstreams: Replicas): Promise<void>;
  /** Lets requests in flight finish, as in a container. */
  stop(): Promise<void>;
}

/** Starts the system's nginx with what infra/gateway becomes. Throws with its words when it cannot. */
export async function startNginx({ upstreams, siteDir }: NginxOptions): Promise<Nginx> {
  const runDir = mkdtempSync(path.join(tmpdir(), 'junction-nginx-'));
  const [accessLog, errorLog, config] = ['access.log', 'error.log', 'nginx.conf'].map((name) =>
    path.join(runDir, name),
  ) as [string, string, string];
  const port = await freePort();
  const places = { port, runDir, accessLog, siteDir: siteDir ?? runDir };
  const text = nginxConfig(readRoutingTable(ROUTES_FILE), readPageRules(PAGES_FILE), places);
  writeFileSync(config, text);
  const writeUpstreams = (replicas: Replicas) =>
    writeFileSync(path.join(runDir, 'upstreams.conf'), nginxUpstreams(replicas));
  writeUpstreams(upstreams);

  const output = openSync(errorLog, 'a');
  const child = spawnGuarded({
    command: 'nginx',
    args: ['-c', config, '-e', 'stderr', '-g', `daemon off;${asOurselves()}`],
    output,
    stopSignal: 'SIGQUIT',
    graceMs: STOP_GRACE_MS,
  });
  closeSync(output);
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
    accessLog: () => readFileSync(accessLog, 'utf8'),
    errorLog: () => readFileSync(errorLog, 'utf8'),
    async reload(replicas) {
      writeUpstreams(replicas);
      await replaceWorkers(child.pid, () => readFileSync(errorLog, 'utf8'));
    },
    stop,
  };
}

/** Of root nginx makes `nobody`, who cannot enter a test's folders. */
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
