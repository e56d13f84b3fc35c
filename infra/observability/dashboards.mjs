#!/usr/bin/env node
// Makes Grafana's dashboards from the lists in dashboards/, and the alerts in the form that Prometheus Operator reads:
// npm run generate. docs/metrics.md describes the metrics.
//
//   dashboards.mjs          writes grafana/dashboards/*.json and infra/k8s/prometheus-operator/*rule.yaml
//   dashboards.mjs --check  fails when the files are not exactly that
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { makeFiles } from '../../packages/docs/bin/made-files.mjs';
import { dispatcher } from './dashboards/dispatcher.mjs';
import { events } from './dashboards/events.mjs';
import { integrations } from './dashboards/integrations.mjs';
import { objectives } from './dashboards/objectives.mjs';
import { product } from './dashboards/product.mjs';

const HERE = path.relative('.', import.meta.dirname);
const FOLDER = path.join(HERE, 'grafana/dashboards');
/** The file of alerts to that of the resource and its name. */
const RULES = {
  'alerts.yaml': ['prometheus-rule.yaml', 'junction'],
  'alerts-infrastructure.yaml': ['infrastructure-rule.yaml', 'junction-infrastructure'],
};
const DATASOURCE = { type: 'prometheus', uid: 'prometheus' };
const [WIDTH, HEIGHT] = [24, 8];

function dashboard(uid, { title, rows }) {
  let y = 0;
  let id = 0;
  const panels = Object.entries(rows).flatMap(([name, graphs]) => {
    const across = Math.min(graphs.length, 3);
    const row = {
      id: ++id,
      type: 'row',
      title: name,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y: y++, w: WIDTH, h: 1 },
    };
    const drawn = graphs.map((each, place) =>
      panel(++id, each, {
        x: (place % across) * (WIDTH / across),
        y: y + Math.floor(place / across) * HEIGHT,
        w: WIDTH / across,
        h: HEIGHT,
      }),
    );
    y += Math.ceil(graphs.length / across) * HEIGHT;
    return [row, ...drawn];
  });
  return {
    uid: `junction-${uid}`,
    title,
    tags: ['junction'],
    timezone: 'utc',
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    links: [
      {
        type: 'dashboards',
        tags: ['junction'],
        title: 'Junction',
        asDropdown: false,
        includeVars: false,
        keepTime: true,
      },
    ],
    panels,
  };
}

const panel = (id, { title, unit, lines }, gridPos) => ({
  id,
  type: 'timeseries',
  title,
  datasource: DATASOURCE,
  gridPos,
  fieldConfig: {
    defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } },
    overrides: [],
  },
  options: {
    legend: { displayMode: 'list', placement: 'bottom' },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  targets: lines.map(([expr, legendFormat], place) => ({
    refId: String.fromCharCode(65 + place),
    datasource: DATASOURCE,
    expr,
    legendFormat,
  })),
});

// Prometheus Operator lets an AlertmanagerConfig have the alerts of its own namespace only.
const prometheusRule = (
  source,
  name,
  alerts,
) => `# Made of infra/observability/${source}: npm run generate.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: ${name}
spec:
${alerts
  .slice(alerts.indexOf('groups:'))
  .replaceAll(/severity: (?=page|ticket)/g, 'namespace: junction, severity: ')
  .replaceAll(/^(?=.)/gm, '  ')}`;

const dashboards = Object.entries({ product, objectives, dispatcher, integrations, events }).map(
  ([uid, one]) => [
    path.join(FOLDER, `${uid}.json`),
    `${JSON.stringify(dashboard(uid, one), null, 2)}\n`,
  ],
);
const rules = Object.entries(RULES).map(([source, [file, name]]) => [
  path.join(HERE, '../k8s/prometheus-operator', file),
  prometheusRule(source, name, readFileSync(path.join(HERE, source), 'utf8')),
]);
makeFiles(Object.fromEntries([...dashboards, ...rules]));
