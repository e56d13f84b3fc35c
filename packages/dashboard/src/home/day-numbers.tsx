import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { dayBeforeQuery, statisticsQuery } from '../statistics/statistics-queries.js';
import { percentWords, type Statistics } from '../statistics/steps.js';
import { wordsFor } from '../ui/form-problem.js';
import { Panel } from '../ui/panel.js';
import { durationWords } from '../ui/relative-words.js';
import { PanelTitle } from '../ui/text.js';
import classes from './home.module.css';
import { type Trend, trendOf } from './trend.js';

type Total = Statistics['total'];

/** Deliveries of the last day to all webhooks, in three numbers, each with its trend. */
export function DayNumbers() {
  const { data: today, error } = useQuery(statisticsQuery(undefined, '24h'));
  const { data: before } = useQuery(dayBeforeQuery);
  if (!today) return error && <Text role="alert">{wordsFor(error)}</Text>;
  return (
    <section aria-labelledby="day-title">
      <PanelTitle id="day-title" mb="xs">
        Last 24 hours
      </PanelTitle>
      <div className={classes['numbers']}>
        {numbersOf(today.total, before?.total).map(({ term, value, trend }) => (
          <Panel key={term}>
            <Text size="sm" c="var(--text-quiet)">
              {term}
            </Text>
            <div className={classes['number']}>{value}</div>
            <div className={classes['trend']} data-worse={trend?.isWorse || undefined}>
              {trend?.words ?? 'nothing to compare with'}
            </div>
          </Panel>
        ))}
      </div>
    </section>
  );
}

interface Told {
  readonly term: string;
  readonly value: string;
  readonly trend: Trend | undefined;
}

function numbersOf(today: Total, dayBefore: Total | undefined): readonly Told[] {
  // A day without attempts is none to compare with.
  const before = dayBefore?.success_rate === null ? undefined : dayBefore;
  const { succeeded, success_rate: rate, latency_ms: latency } = today;
  return [
    {
      term: 'Delivered',
      value: succeeded.toLocaleString('en'),
      trend: trendOf({
        today: succeeded,
        before: before?.succeeded ?? null,
        inWords: (difference) => difference.toLocaleString('en'),
        directions: ['more', 'fewer'],
      }),
    },
    {
      term: 'Success rate',
      value: rate === null ? '–' : percentWords(rate),
      trend: trendOf({
        today: rate,
        before: before?.success_rate ?? null,
        inWords: (difference) => `${(difference * 100).toFixed(1)} points`,
        directions: ['higher', 'lower'],
      }),
    },
    {
      term: 'Typical time',
      value: latency.p50 === null ? '–' : durationWords(latency.p50),
      trend: trendOf({
        today: latency.p50,
        before: before?.latency_ms.p50 ?? null,
        inWords: durationWords,
        directions: ['slower', 'faster'],
        isRiseBad: true,
      }),
    },
  ];
}
