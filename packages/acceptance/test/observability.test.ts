import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { followsOf } from './follows-of.js';
import { ROOT } from './manifests.js';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly keep_firing_for?: string;
  readonly labels: {
    readonly severity: string;
    readonly cause?: string;
    readonly follows?: string;
  };
  readonly annotations: {
    readonly summary: string;
    readonly runbook: string;
    readonly runbook_url: string;
  };
}

/** An alert, or a number that alerts are made of. */
type Rule =
  | (Alert & { readonly record?: never })
  | { readonly alert?: never; readonly record: string; readonly expr: string };

const FOLDER = path.join(ROOT, 'infra/observability');
const DASHBOARDS = path.join(FOLDER, 'grafana/dashboards');
/** Metrics that Prometheus and prom-client have by themselves. */
const THEIRS = /^(up|process_\w+|nodejs_\w+)$/;
const THEIR_LABELS = ['instance', 'job', 'service', 'le'];

/** The page of the documentation that has all runbooks, as the services tell Prometheus. */
const PAGES =
  '{{ with query "last_over_time(junction_runbooks_info[1d])" }}{{ . | first | label "url" }}{{ end }}';

const ours = alertsOf('alerts.yaml');
/** Numbers that our alerts and dashboards are made of, with the labels that they add. */
const recorded = rulesOf('alerts.yaml').flatMap((rule) => (rule.record ? [rule] : []));
const RECORDED_LABELS = ['objective'];
/** Alerts on numbers of others' exporters, which docs/metrics.md does not list. */
const infrastructure = alertsOf('alerts-infrastructure.yaml');
const rules = [...ours, ...infrastructure];
const documented = documentedMetrics();

describe.each(rules.map((rule) => [rule.alert, rule] as const))('%s', (alert, rule) => {
  it('has a page that says what it means, what to look at and what to do', () => {
    expect(rule.annotations.runbook).toBe(`docs/runbooks/${pageOf(alert)}.md`);
    expect(rule.annotations.runbook_url).toBe(`${PAGES}#${alert.toLowerCase()}`);
    const lines = read(rule.annotations.runbook).split('\n');
    expect(lines[0]).toBe(`# ${alert}`);
    expect(lines.filter((line) => line.startsWith('## '))).toEqual([
      '## Meaning',
      '## Diagnosis',
      '## Mitigation',
    ]);
  });

  it('says when somebody has to look, and what they read first', () => {
    expect(['page', 'ticket']).toContain(rule.labels.severity);
    expect(rule.annotations.summary.length).toBeGreaterThan(20);
  });
});

it('follows only from causes that alert, and pages for each of these', () => {
  const causes = rules.filter(({ labels }) => labels.cause !== undefined);
  const followed = rules.flatMap((rule) =>
    followsOf(rule).flatMap((follows) => follows?.split(' ') ?? []),
  );
  expect(new Set(followed)).toEqual(new Set(causes.map(({ labels }) => labels.cause)));
  expect(causes.filter(({ labels }) => labels.severity !== 'page')).toEqual([]);
});

it('lets a cause fire for minutes after it is over, because what follows may last longer', () => {
  const short = rules.filter(({ labels, keep_firing_for }) => labels.cause && !keep_firing_for);
  expect(short).toEqual([]);
});

it('tells Prometheus Operator whom alerts reach as it tells Alertmanager, except for receivers', () => {
  const { route, inhibit_rules } = parse(read('infra/observability/alertmanager.yaml')) as {
    readonly route: Route;
    readonly inhibit_rules: readonly Inhibition[];
  };
  const { spec } = parse(read('infra/k8s/prometheus-operator/alertmanager-config.yaml')) as {
    readonly spec: { readonly route: object; readonly inhibitRules: readonly object[] };
  };
  expect(spec.route).toEqual(resourceOf(route));
  expect(spec.inhibitRules).toEqual(
    inhibit_rules.map(({ source_matchers: source, target_matchers: target, ...rest }) => ({
      sourceMatch: source.map(matcherOf),
      targetMatch: target.map(matcherOf),
      ...rest,
    })),
  );
});

interface Route {
  readonly matchers?: readonly string[];
  readonly routes?: readonly Route[];
}

interface Inhibition {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
  readonly equal?: readonly string[];
}

/** Names in the custom resource are those of the file in another case. */
const resourceOf = ({ matchers, routes, ...rest }: Route): object => ({
  ...Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ),
  ...(matchers && { matchers: matchers.map(matcherOf) }),
  ...(routes && { routes: routes.map(resourceOf) }),
});

function matcherOf(text: string): object {
  const [, name, matchType, value] = /^(\w+) (=~?) "(.*)"$/.exec(text) ?? [];
  return { name, matchType, value };
}

/** Runbooks for decisions of operators, which no alert points to. */
const WITHOUT_ALERT = ['restore.md'];

it('has no page without its alert', () => {
  const pages = readdirSync(path.join(ROOT, 'docs/runbooks')).sort();
  const ofAlerts = rules.map(({ alert }) => `${pageOf(alert)}.md`);
  expect(pages).toEqual([...new Set([...ofAlerts, ...WITHOUT_ALERT])].sort());
});

it.each([
  ...ours.map(({ alert, expr }) => [alert, [expr]] as const),
  ...recorded.map(({ record, expr }) => [record, [expr]] as const),
  ...readdirSync(DASHBOARDS).map((file) => [file, expressionsOf(file)] as const),
  ['the scaling of the dispatcher', scaling()] as const,
])('%s asks for metrics and labels that there are', (_, expressions) => {
  expect(expressions.length).toBeGreaterThan(0);
  for (const expression of expressions) {
    const asked = askedIn(expression);
    expect(asked.length > 0 || expression.startsWith('vector(')).toBe(true);
    for (const { metric, labels } of asked) {
      if (THEIRS.test(metric)) continue;
      const known = recorded.some(({ record }) => record === metric)
        ? RECORDED_LABELS
        : (documented.get(metric) ?? documented.get(metric.replace(/_(bucket|count|sum)$/, '')));
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
  [
    ...expression.matchAll(
      /\b(junction:[\w:]+|(?:junction|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g,
    ),
  ].map(([, metric = '', selector = '']) => ({
    metric,
    labels: [...selector.matchAll(/(\w+)\s*(?:=|!=|=~|!~)\s*"/g)].map(([, label = '']) => label),
  }));

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
  return rulesOf(file).filter((rule) => rule.alert !== undefined);
}

function rulesOf(file: string): readonly Rule[] {
  const { groups } = parse(read(`infra/observability/${file}`)) as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules);
}

/** JunctionOutboxStuck: outbox-stuck. */
function pageOf(alert: string): string {
  return alert
    .replace(/^Junction/, '')
    .replaceAll(/(?<!^)([A-Z])/g, '-$1')
    .toLowerCase();
}
