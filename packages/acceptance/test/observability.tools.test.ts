import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { moduleFolder } from './custom-resources.js';
import { ROOT, run } from './manifests.js';

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

const inFolder = (file: string): string => path.join(ROOT, 'infra/observability', file);

const ALERTS = ['alerts', 'alerts-infrastructure'];

describe('promtool', () => {
  it('accepts the alerts, and how the services are scraped', () => {
    // With the configuration promtool checks the files of rules that it names.
    expect(run('promtool', ['check', 'config', inFolder('prometheus.yml')])).toContain('SUCCESS');
  });

  it('can read what dashboards ask', () => {
    const folder = inFolder('grafana/dashboards');
    const asked = readdirSync(folder).flatMap((file) => {
      const { panels } = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Dashboard;
      return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    });
    expect(asked.length).toBeGreaterThan(50);
    const rules = asked.map((expr, place) => ({
      record: `asked_${place}`,
      expr: expr.replaceAll('$__rate_interval', '1m'), // Grafana puts it in
    }));
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'junction-asked-')), 'rules.json');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'asked', rules }] }));
    expect(run('promtool', ['check', 'rules', file])).toContain(`SUCCESS: ${asked.length} rules`);
    rmSync(path.dirname(file), { recursive: true });
  });

  it('finds that each alert fires beyond its bound, and not at it', () => {
    const tests = ALERTS.map((name) => inFolder(`${name}.test.yaml`));
    expect(run('promtool', ['test', 'rules', ...tests])).toContain('SUCCESS');
  });
});

it('the blackbox exporter accepts its modules', () => {
  const file = inFolder('blackbox/blackbox.yml');
  const check = ['--config.check', `--config.file=${file}`];
  expect(() => run('prometheus-blackbox-exporter', check)).not.toThrow();
});

it('alerts name numbers of CloudNativePG as it publishes them', () => {
  const folder = moduleFolder('github.com/cloudnative-pg/cloudnative-pg');
  const published = (file: string) => readFileSync(path.join(folder, file), 'utf8');
  const { queries } = (parse(published('config/manager/default-monitoring.yaml')) as Monitoring)
    .data;
  const known = Object.entries(parse(queries) as Queries).flatMap(([query, { name, metrics }]) =>
    metrics.flatMap((metric) => Object.keys(metric).map((one) => `cnpg_${name ?? query}_${one}`)),
  );
  const sample = published('docs/src/monitoring.md').match(/cnpg_collector_\w+/g) ?? [];
  const rules = readFileSync(inFolder('alerts-infrastructure.yaml'), 'utf8');
  const asked = new Set(rules.match(/\bcnpg_\w+[a-z]/g));
  expect(asked.size).toBeGreaterThan(5);
  expect([...known, ...sample]).toEqual(expect.arrayContaining([...asked]));
});

interface Monitoring {
  readonly data: { readonly queries: string };
}

/** Statements of CloudNativePG; each of their columns is a number or a label. */
type Queries = Readonly<
  Record<
    string,
    { readonly name?: string; readonly metrics: readonly Readonly<Record<string, unknown>>[] }
  >
>;
