import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, spawnGuarded } from '@junction/local-stack/process';
import { eventually } from '@junction/testing';

const STOP_GRACE_MS = 10_000;

/** A started Prometheus, Alertmanager or blackbox exporter. */
export interface Monitor {
  /** `host:port` */
  readonly host: string;
  readonly url: string;
  stop(): Promise<void>;
}

/** The programs, each with the address that says whether it is ready. */
const READY_AT = {
  prometheus: '/-/ready',
  'prometheus-alertmanager': '/-/ready',
  'prometheus-blackbox-exporter': '/-/healthy',
} as const;

/**
 * Starts the system's program in a folder of its own that holds these files, and waits until it is ready. Throws with
 * its output when it does not start.
 */
export async function startMonitor(
  command: keyof typeof READY_AT,
  files: Readonly<Record<string, string>>,
  argsIn: (folder: string) => readonly string[],
): Promise<Monitor> {
  const folder = mkdtempSync(path.join(tmpdir(), `junction-${command}-`));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  const host = `127.0.0.1:${await freePort()}`;
  const log = path.join(folder, 'log');
  const args = [...argsIn(folder), `--web.listen-address=${host}`];
  const child = spawnGuarded({
    command,
    args,
    log,
    stopSignal: 'SIGTERM',
    graceMs: STOP_GRACE_MS,
  });
  const url = `http://${host}`;
  const stop = async () => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(async () => {
      const { ok } = await fetch(`${url}${READY_AT[command]}`);
      if (!ok) throw new Error(`${command} is not ready: ${readFileSync(log, 'utf8')}`);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { host, url, stop };
}

/** Starts an Alertmanager that belongs to no cluster. */
export const startAlertmanager = (config: string): Promise<Monitor> =>
  startMonitor('prometheus-alertmanager', { 'alertmanager.yaml': config }, (folder) => [
    `--config.file=${path.join(folder, 'alertmanager.yaml')}`,
    `--storage.path=${path.join(folder, 'data')}`,
    '--cluster.listen-address=',
  ]);
