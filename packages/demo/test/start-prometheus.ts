import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, spawnGuarded } from '@junction/local-stack/process';
import { eventually } from '@junction/testing';
import { ROOT } from './manifests.js';

const FOLDER = path.join(ROOT, 'infra/observability');
const STOP_GRACE_MS = 10_000;

export interface Prometheus {
  /** The values that a PromQL expression has now; empty: an alert with it would not fire. */
  ask(expression: string): Promise<readonly number[]>;
  stop(): Promise<void>;
}

/**
 * Starts the system's Prometheus with infra/observability. Prometheus scrapes these host:port once in `everyS`
 * seconds, and waits as long for an answer. Throws with the output of Prometheus when it does not start.
 */
export async function startPrometheus(targets: readonly string[], everyS = 1): Promise<Prometheus> {
  const runDir = mkdtempSync(path.join(tmpdir(), 'junction-prometheus-'));
  cpSync(path.join(FOLDER, 'alerts.yaml'), path.join(runDir, 'alerts.yaml'));
  const config = path.join(runDir, 'prometheus.yml');
  writeFileSync(config, scraping(targets, everyS));
  const port = await freePort();
  const log = path.join(runDir, 'prometheus.log');
  const child = spawnGuarded({
    command: 'prometheus',
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${path.join(runDir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    log,
    stopSignal: 'SIGTERM',
    graceMs: STOP_GRACE_MS,
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await child.stop();
    rmSync(runDir, { recursive: true, force: true });
  };
  try {
    await eventually(async () => {
      const { ok } = await fetch(`${url}/-/ready`);
      if (!ok) throw new Error(`Prometheus is not ready: ${readFileSync(log, 'utf8')}`);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    stop,
    async ask(expression) {
      const body = new URLSearchParams({ query: expression });
      const answer = await fetch(`${url}/api/v1/query`, { method: 'POST', body });
      const { status, data, error } = (await answer.json()) as {
        readonly status: string;
        readonly error?: string;
        readonly data?: {
          readonly result: readonly { readonly value: readonly [number, string] }[];
        };
      };
      if (status !== 'success' || data === undefined) throw new Error(`${expression}: ${error}`);
      return data.result.map(({ value: [, value] }) => Number(value));
    },
  };
}

/** The configuration as it is, with addresses instead of names to be looked up. */
function scraping(targets: readonly string[], everyS: number): string {
  const text = readFileSync(path.join(FOLDER, 'prometheus.yml'), 'utf8');
  const [head = '', lookedUp] = text.split(/ {4}dns_sd_configs:\n(?: {6}.*\n)+/);
  if (lookedUp === undefined) throw new Error('prometheus.yml has no dns_sd_configs.');
  const named = `${head}    static_configs:\n      - targets: ${JSON.stringify(targets)}\n${lookedUp}`;
  return named.replaceAll(/(scrape|evaluation)_interval: 15s/g, `$1_interval: ${everyS}s`);
}
