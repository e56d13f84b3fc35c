import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { ROOT } from './manifests.js';
import { startMonitor } from './start-monitor.js';

const FOLDER = path.join(ROOT, 'infra/observability');

export interface Prometheus {
  /** The values that a PromQL expression has now; empty: an alert with it would not fire. */
  ask(expression: string): Promise<readonly number[]>;
  stop(): Promise<void>;
}

/**
 * Starts the system's Prometheus with infra/observability. Prometheus scrapes these host:port once in `everyS`
 * seconds, waits as long for an answer, and tells the Alertmanager at host:port, if there is one.
 */
export async function startPrometheus(
  targets: readonly string[],
  everyS = 1,
  alertmanager?: string,
): Promise<Prometheus> {
  const rules = ['alerts.yaml', 'alerts-infrastructure.yaml'];
  const files = {
    ...Object.fromEntries(
      rules.map((file) => [file, readFileSync(path.join(FOLDER, file), 'utf8')]),
    ),
    'prometheus.yml': scraping(targets, everyS, alertmanager),
  };
  const { url, stop } = await startMonitor('prometheus', files, (folder) => [
    `--config.file=${path.join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${path.join(folder, 'data')}`,
  ]);
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

interface Config {
  readonly scrape_configs: readonly [{ readonly dns_sd_configs: unknown }];
}

/** The configuration as it is, with addresses instead of names to be looked up. */
function scraping(targets: readonly string[], everyS: number, alertmanager?: string): string {
  const file = readFileSync(path.join(FOLDER, 'prometheus.yml'), 'utf8');
  const { scrape_configs, ...config } = parse(file) as Config;
  const [{ dns_sd_configs: _, ...scrape }] = scrape_configs;
  const alertmanagers = alertmanager ? [{ static_configs: [{ targets: [alertmanager] }] }] : [];
  return stringify({
    ...config,
    global: { scrape_interval: `${everyS}s`, evaluation_interval: `${everyS}s` },
    alerting: { alertmanagers },
    scrape_configs: [{ ...scrape, static_configs: [{ targets }] }],
  });
}
