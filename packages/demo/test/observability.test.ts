import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { ROOT } from './manifests.js';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

/** An alert, or a number that alerts are made of. */
type Rule = Alert | { readonly alert?: never };

const FOLDER = path.join(ROOT, 'infra/observability');
const DASHBOARDS = path.join(FOLDER, 'grafana/dashboards');
/** Metrics that Prometheus and prom-client have by themselves. */
const THEIRS = /^(up|process_\w+|nodejs_\w+)$/;
const THEIR_LABELS = ['instance', 'job', 'service'];

const ours = alertsOf('alerts.yaml');
/** Alerts on numbers of others' exporters, which docs/metrics.md does not list. */
const infrastructure = alertsOf('alerts-infrastructure.yaml');
const rules = [...ours, ...infrastructure];
const documented = documentedMetrics();

describe.each(rules.map((rule) => [rule.alert, rule] as const))('%s', (alert, rule) => {
  it('has a page that says what it means, what to look at and what to do', () => {
    expect(rule.annotations.runbook).toBe(`docs/runbooks/${pageOf(alert)}.md`);
    const lines = read(rule.annotations.runbook).split('\n');
    expect(lines[0]).toBe(`# ${alert}`);
    expect(lines.filter((line) => line.startsWith('## '))).toEqual([
      '## What it means',
      '## What to look at',
      '## What to do',
    ]);
  });

  it('says when somebody has to look, and what they read first', () => {
    expect(['page', 'ticket']).toContain(rule.labels.severity);
    expect(rule.annotations.summary.length).toBeGreaterThan(20);
  });
});

/** Runbooks for decisions of operators, which no alert points to. */
const WITHOUT_ALERT = ['restore.md'];

it('has no page without its alert', () => {
  const pages = readdirSync(path.join(ROOT, 'docs/runbooks')).sort();
  const ofAlerts = rules.map(({ alert }) => `${pageOf(alert)}.md`);
  expect(pages).toEqual([...new Set([...ofAlerts, ...WITHOUT_ALERT])].sort());
});

it.each([
  ...ours.map(({ alert, expr }) => [alert, [expr]] as const),
  ...readdirSync(DASHBOARDS).map((file) => [file, expressionsOf(file)] as const),
  ['the scaling of the dispatcher', scaling()] as const,
])('%s asks for metrics and labels that there are', (_, expressions) => {
  expect(expressions.length).toBeGreaterThan(0);
  for (const expression of expressions) {
    const asked = askedIn(expression);
    expect(asked.length).toBeGreaterThan(0);
    for (const { metric, labels } of asked) {
      if (THEIRS.test(metric)) continue;
      const known =
        documented.get(metric) ?? documented.get(metric.replace(/_(bucket|count|sum)$/, ''));
      expect({ metric, known }).toHaveProperty('known', expect.any(Array));
      expect([...(known ?? []), ...THEIR_LABELS]).toEqual(expect.arrayContaining([...labels]));
    }
  }
});

interface Asked {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Metrics of a PromQL expression, each with the labels it is chosen by. */
const askedIn = (expression: string): readonly Asked[] =>
  [...expression.matchAll(/\b((?:junction|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', selector = '']) => ({
      metric,
      labels: [...selector.matchAll(/(\w+)\s*(?:=|!=|=~|!~)\s*"/g)].map(([, label = '']) => label),
    }),
  );

function expressionsOf(file: string): readonly string[] {
  const { panels } = JSON.parse(readFileSync(path.join(DASHBOARDS, file), 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

function scaling(): readonly string[] {
  const { spec } = parse(read('infra/k8s/overlays/production/scaled-object.yaml')) as {
    spec: { triggers: { metadata: { query?: string } }[] };
  };
  return spec.triggers.flatMap(({ metadata: { query } }) => query ?? []);
}

/** Metric to its labels, from the tables of docs/metrics.md. */
function documentedMetrics(): ReadonlyMap<string, readonly string[]> {
  const rows = read('docs/metrics.md')
    .split('\n')
    .filter((line) => line.startsWith('| `junction_'));
  return new Map(
    rows.map((row) => {
      const [, metric = '', , labels = ''] = row.split('|');
      const codeIn = (cell: string) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
      return [codeIn(metric)[0] ?? '', codeIn(labels)] as const;
    }),
  );
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

function alertsOf(file: string): readonly Alert[] {
  const { groups } = parse(read(`infra/observability/${file}`)) as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules).filter((rule) => rule.alert !== undefined);
}

/** JunctionOutboxStuck: outbox-stuck. */
function pageOf(alert: string): string {
  return alert
    .replace(/^Junction/, '')
    .replaceAll(/(?<!^)([A-Z])/g, '-$1')
    .toLowerCase();
}
