import { Group, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { labelOfKind } from '../model/event-kinds.js';
import { Disclosure } from '../ui/disclosure.js';
import { wordsFor } from '../ui/form-problem.js';
import { Panel } from '../ui/panel.js';
import { PanelTitle, Quiet } from '../ui/text.js';
import { WideTable } from '../ui/wide-table.js';
import { Chart } from './chart.js';
import classes from './chart.module.css';
import { statisticsQuery } from './statistics-queries.js';
import {
  type Bar,
  barsOf,
  type Grouping,
  groupsOf,
  RANGES,
  type Range,
  type Statistics,
  stepWords,
} from './steps.js';

const RANGE_CHOICES = Object.entries(RANGES).map(([value, { label }]) => ({ value, label }));
const GROUPINGS = [
  { value: 'response', label: 'By status' },
  { value: 'event_type', label: 'By kind' },
];
const RESPONSE_LABELS: Readonly<Record<string, string>> = { none: 'No answer' };

/** Attempts over time, of one webhook or of all. */
export function ChartPanel({ webhookId }: { readonly webhookId?: string }) {
  const [range, setRange] = useState<Range>('24h');
  const [by, setBy] = useState<Grouping>('response');
  const { data, error } = useQuery(statisticsQuery(webhookId, range));
  return (
    <Panel aria-labelledby="chart-title">
      <Group justify="space-between" mb="xs">
        <PanelTitle id="chart-title">Attempts</PanelTitle>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Group attempts"
            data={GROUPINGS}
            value={by}
            onChange={(value) => setBy(value as Grouping)}
          />
          <SegmentedControl
            size="xs"
            aria-label="How far back"
            data={RANGE_CHOICES}
            value={range}
            onChange={(value) => setRange(value as Range)}
          />
        </Group>
      </Group>
      <div className={classes['room']}>
        {error && !data && <Text role="alert">{wordsFor(error)}</Text>}
        {!data && !error && <Skeleton h={200} />}
        {data && <Attempts statistics={data} range={range} by={by} webhookId={webhookId} />}
      </div>
    </Panel>
  );
}

interface AttemptsProps {
  readonly statistics: Statistics;
  readonly range: Range;
  readonly by: Grouping;
  readonly webhookId: string | undefined;
}

function Attempts({ statistics, range, by, webhookId }: AttemptsProps) {
  const { steps = [], from } = statistics;
  if (steps.length === 0) return <Quiet>No attempts in this period.</Quiet>;
  const groups = groupsOf(steps, by);
  const bars = barsOf(steps, { from: new Date(from), range, by });
  const isByKind = by === 'event_type';
  const labels = groups.map((group) =>
    isByKind ? labelOfKind(group) : (RESPONSE_LABELS[group] ?? group),
  );
  const colours = groups.map((group, n) => (isByKind ? String(n) : group));
  return (
    <>
      <Chart
        key={`${range} ${by}`}
        bars={bars}
        labels={labels}
        colours={colours}
        range={range}
        webhookId={webhookId}
      />
      <Disclosure summary="The numbers as a table">
        <Numbers bars={bars} labels={labels} range={range} />
      </Disclosure>
    </>
  );
}

interface NumbersProps {
  readonly bars: readonly Bar[];
  readonly labels: readonly string[];
  readonly range: Range;
}

/** The newest first. */
const Numbers = ({ bars, labels, range }: NumbersProps) => (
  <WideTable label="Attempts by time" columns={['From', ...labels]} isNumeric>
    {bars.toReversed().map(({ at, counts }) => (
      <tr key={at.getTime()}>
        <th scope="row">{stepWords(at, range)}</th>
        {labels.map((label, n) => (
          <td key={label}>{counts[n]}</td>
        ))}
      </tr>
    ))}
  </WideTable>
);
