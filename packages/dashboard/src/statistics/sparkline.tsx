import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { durationWords } from '../ui/relative-words.js';
import { Quiet } from '../ui/text.js';
import { Bars } from './bars.js';
import { everyHour, percentWords, type Statistics } from './hours.js';
import classes from './statistics.module.css';
import { eachStatisticsQuery } from './statistics-queries.js';
import { UnsentLink } from './unsent-link.js';

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
  const { attempts, succeeded, filtered, success_rate: rate, latency_ms: latency } = numbers.total;
  return (
    <Group gap="sm" className={classes['room'] ?? ''}>
      {rate !== null && (
        <Bars
          isSpark
          hours={everyHour({ from: data.from, items: numbers.items }, HOURS)}
          label={`${succeeded} of ${attempts} attempts succeeded in the last 24 hours`}
        />
      )}
      <Quiet size="xs">
        {rate === null
          ? 'No attempts in the last 24 hours'
          : `${percentWords(rate)} of ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} in 24 hours`}
        {latency.p95 !== null && ` · p95 ${durationWords(latency.p95)}`}
        {filtered > 0 && ` · ${filtered.toLocaleString('en')} dropped by the filter`}
        <Unsent webhookId={webhookId} numbers={numbers} />
      </Quiet>
    </Group>
  );
}

interface UnsentProps {
  readonly webhookId: string;
  readonly numbers: Pick<Statistics, 'waiting' | 'held'>;
}

const Unsent = ({ webhookId, numbers }: UnsentProps) =>
  (['waiting', 'held'] as const)
    .filter((status) => numbers[status] > 0)
    .map((status) => (
      <span key={status}>
        {' · '}
        <UnsentLink webhookId={webhookId} status={status} count={numbers[status]} word={status} />
      </span>
    ));
