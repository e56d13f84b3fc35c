import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  apart,
  nodeChild,
  type Ports,
  type Running,
  readSettings,
  type Secrets,
  type Served,
  type ServiceName,
  secretsOf,
  type World,
  worldOf,
} from '@junction/local-stack';
import { freePort } from '@junction/local-stack/process';

/** Root of this checkout. */
export const ROOT = path.resolve(import.meta.dirname, '../../../..');

/** A place for a product whose parts are started one by one, each when it is asked for. */
export interface Site {
  readonly world: World;
  /** Starts a program, and resolves when it is ready: started before what it needs, it waits for that, too. */
  start(program: Served): Promise<Running>;
  /** Stops the programs together, then the rest, the latest first, and deletes the data. */
  close(): Promise<void>;
  /**
   * Registers a function that stops something the programs depend on: `close` calls it after the programs have
   * ended.
   */
  closeLater(close: () => Promise<unknown>): void;
}

/** Free ports and a data folder of its own; nothing runs yet. Its programs are those built at `root`. */
export async function newSite(
  env: NodeJS.ProcessEnv,
  ports: Partial<Ports> = {},
  root = ROOT,
): Promise<Site> {
  // The user that Postgres runs as must be able to pass through; what is secret below is 0600.
  const dataDir = mkdtempSync('/var/tmp/junction-');
  chmodSync(dataDir, 0o711);
  const outer = apart(env, dataDir);
  const settled = { ...(await freePorts(readSettings(outer, root).ports)), ...ports };
  const secrets = secretsOf(dataDir);
  const world = worldOf(
    { root, dataDir, ports: settled, outer },
    {
      secrets,
      databaseUrls: databaseUrls(secrets, settled.POSTGRES_PORT),
      kafkaBrokers: `127.0.0.1:${settled.KAFKA_PORT}`,
    },
  );

  const calledOff = new AbortController();
  const programs: Running[] = [];
  const closings: (() => Promise<unknown>)[] = [];
  const closeLater = (close: () => Promise<unknown>) => void closings.push(close);
  return {
    world,
    closeLater,
    async start({ child, readyUrl }) {
      const running = await nodeChild(child, readyUrl, calledOff.signal).start();
      programs.push(running);
      return running;
    },
    async close() {
      await Promise.all(programs.map((program) => program.stop()));
      for (let close = closings.pop(); close; close = closings.pop()) await close();
      calledOff.abort(); // ends programs that never became ready
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

async function freePorts(ports: Ports): Promise<Ports> {
  const free: [string, number][] = [];
  for (const name of Object.keys(ports)) free.push([name, await freePort()]);
  return Object.fromEntries(free) as Ports;
}

function databaseUrls(secrets: Secrets, port: number): World['databaseUrls'] {
  const url = (name: ServiceName) =>
    `postgres://${name}:${secrets.databases[name]}@127.0.0.1:${port}/${name}`;
  return { auth: url('auth'), integrations: url('integrations'), webhooks: url('webhooks') };
}
