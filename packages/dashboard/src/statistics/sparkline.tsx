import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { durationWords } from '../ui/relative-words.js';
import { Quiet } from '../ui/text.js';
import { Bars } from './bars.js';
import { everyHour, percentWords } from './hours.js';
import classes from './statistics.module.css';
import { eachStatisticsQuery } from './statistics-queries.js';

const HOURS = 24;

export interface SparklineProps {
  readonly webhookId: string;
  /** The webhooks of its page of the list, which are asked about together. */
  readonly pageIds: readonly string[];
}

/** The outcomes of a webhook within a day, for its row in a list. */
export function Sparkline({ webhookId, pageIds }: SparklineProps) {
  const { data } = useQuery(eachStatisticsQuery(pageIds, HOURS));
  const numbers = data?.webhooks?.find(({ webhook_id: id }) => id === webhookId);
  if (!data || !numbers) return <div className={classes['room']} />;
  const { attempts, succeeded, success_rate: rate, latency_ms: latency } = numbers.total;
  if (rate === null) {
    return (
      <Quiet size="xs" className={classes['room'] ?? ''}>
        No attempts in the last 24 hours
      </Quiet>
    );
  }
  return (
    <Group gap="sm" className={classes['room'] ?? ''}>
      <Bars
        isSpark
        hours={everyHour({ from: data.from, items: numbers.items }, HOURS)}
        label={`${succeeded} of ${attempts} attempts succeeded in the last 24 hours`}
      />
      <Quiet size="xs">
        {percentWords(rate)} of {attempts} {attempts === 1 ? 'attempt' : 'attempts'} in 24 hours
        {latency.p95 !== null && ` · p95 ${durationWords(latency.p95)}`}
        {numbers.waiting > 0 && ` · ${numbers.waiting.toLocaleString('en')} waiting`}
      </Quiet>
    </Group>
  );
}
