import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT, run } from './manifests.js';

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

const inFolder = (file: string): string => path.join(ROOT, 'infra/observability', file);

describe('promtool', () => {
  it('accepts the alerts, and how the services are scraped', () => {
    expect(run('promtool', ['check', 'rules', inFolder('alerts.yaml')])).toMatch(
      /SUCCESS: \d+ rules/,
    );
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
    expect(run('promtool', ['test', 'rules', inFolder('alerts.test.yaml')])).toContain('SUCCESS');
  });
});
