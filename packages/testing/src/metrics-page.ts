import { readFileSync } from 'node:fs';
import path from 'node:path';

const PAGE = path.resolve(import.meta.dirname, '../../../docs/metrics.md');

/** A metric as the page describes it. */
export interface DescribedMetric {
  readonly name: string;
  readonly type: string;
  /** Labels without `service`, which every metric has. */
  readonly labels: readonly string[];
  /** Services that export the metric, or `all`. */
  readonly of: readonly string[];
  readonly meaning: string;
}

/** A metric as a service exports it. */
export interface ExportedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly series: readonly string[];
}

/** The rows of docs/metrics.md. */
export const describedMetrics = (): readonly DescribedMetric[] =>
  readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `junction_'))
    .map((line) => {
      const [name = '', type = '', labels = '', of = '', meaning = ''] = line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim());
      return { name: unquoted(name), type, labels: wordsOf(labels), of: wordsOf(of), meaning };
    });

const unquoted = (cell: string): string => cell.replaceAll('`', '');
const wordsOf = (cell: string): readonly string[] =>
  unquoted(cell)
    .split(', ')
    .filter((word) => word !== '');

/** The product's own metrics of a service: `url` is where its HTTP server listens. */
export async function exportedMetrics(url: string): Promise<readonly ExportedMetric[]> {
  const answer = await fetch(`${url}/internal/metrics`);
  if (!answer.ok) throw new Error(`/internal/metrics answered ${answer.status}.`);
  const blocks = (await answer.text()).split(/^# HELP /m).slice(1);
  return blocks
    .map((block) => {
      const [head = '', type = '', ...series] = block.trim().split('\n');
      const [name = '', ...help] = head.split(' ');
      return { name, type: type.split(' ').at(-1) ?? '', help: help.join(' '), series };
    })
    .filter(({ name }) => name.startsWith('junction_'));
}

/** Returns a sentence for each difference between a service's metrics and docs/metrics.md; none: all are described. */
export async function undescribed(url: string, service: string): Promise<readonly string[]> {
  const exported = await exportedMetrics(url);
  const described = describedMetrics().filter(
    ({ of }) => of.includes('all') || of.includes(service),
  );
  const missing = described
    .filter(({ name }) => exported.every((metric) => metric.name !== name))
    .map(({ name }) => `${name} is described and not exported by ${service}`);
  const wrong = exported.flatMap((metric) => {
    const row = described.find(({ name }) => name === metric.name);
    if (row === undefined) return [`${metric.name} is not described`];
    const labels = labelsOf(metric).filter((label) => !row.labels.includes(label));
    return [
      ...(row.type === metric.type ? [] : [`${row.name} is a ${metric.type}`]),
      ...(row.meaning === metric.help ? [] : [`${row.name} means: ${metric.help}`]),
      ...labels.map((label) => `${row.name} has the label ${label}`),
    ];
  });
  return [...missing, ...wrong];
}

const OF_ALL = new Set(['service', 'le']);

const labelsOf = ({ series }: ExportedMetric): readonly string[] => [
  ...new Set(
    series
      .flatMap((line) => [...line.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label))
      .filter((label) => !OF_ALL.has(label)),
  ),
];
