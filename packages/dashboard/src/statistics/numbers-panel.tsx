import { Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '../api/types.js';
import { useAllWebhooks } from '../deliveries/all-webhooks.js';
import { resultWords } from '../deliveries/result-words.js';
import { type Fact, Facts } from '../ui/facts.js';
import { wordsFor } from '../ui/form-problem.js';
import { LinkAnchor } from '../ui/links.js';
import { Panel } from '../ui/panel.js';
import { RelativeTime } from '../ui/relative-time.js';
import { durationWords } from '../ui/relative-words.js';
import { PanelTitle, Quiet } from '../ui/text.js';
import { Chart } from './chart.js';
import { FilterDrops } from './filter-drops.js';
import type { Statistics } from './hours.js';
import { everyHour, percentWords } from './hours.js';
import { HoursTable } from './hours-table.js';
import classes from './statistics.module.css';
import { statisticsQuery } from './statistics-queries.js';
import { UnsentLink } from './unsent-link.js';

const SPANS = [
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
];

/** Numbers at a glance: of one webhook, or of all. */
export function NumbersPanel({ webhook }: { readonly webhook?: Webhook }) {
  const [span, setSpan] = useState('24');
  const hours = Number(span);
  const { data, error } = useQuery(statisticsQuery(webhook?.webhook_id, hours));
  return (
    <Panel aria-labelledby="numbers-title">
      <Stack gap="md">
        <Group justify="space-between">
          <PanelTitle id="numbers-title">At a glance</PanelTitle>
          <SegmentedControl
            size="xs"
            aria-label="How far back"
            data={SPANS}
            value={span}
            onChange={setSpan}
          />
        </Group>
        {error && !data && <Text role="alert">{wordsFor(error)}</Text>}
        {!data && !error && <Skeleton h={220} />}
        {data && <Numbers statistics={data} webhook={webhook} span={hours} />}
      </Stack>
    </Panel>
  );
}

interface NumbersProps {
  readonly statistics: Statistics;
  readonly webhook: Webhook | undefined;
  /** Hours that were asked for. */
  readonly span: number;
}

function Numbers({ statistics, webhook, span }: NumbersProps) {
  const { attempts, succeeded, failed } = statistics.total;
  const hours = everyHour(statistics, hoursIn(statistics));
  const circuits = useCircuits(webhook);
  return (
    <>
      <div className={classes['numbers']}>
        <Facts facts={[...factsOf(statistics, webhook?.webhook_id), ...circuits]} />
      </div>
      {attempts === 0 ? (
        <Quiet>
          No attempts in this period. {webhook && <FilterDrops webhook={webhook} hours={span} />}
        </Quiet>
      ) : (
        <>
          <Chart
            hours={hours}
            label={`Of ${attempts} attempts ${succeeded} succeeded and ${failed} failed. The numbers by hour are in the table below.`}
          />
          <HoursTable statistics={statistics} />
        </>
      )}
    </>
  );
}

const HOUR_MS = 3_600_000;

/**
 * Returns the hours that the answer covers. While a new range is loading, the answer is still that of the previous
 * one.
 */
const hoursIn = ({ from, to }: Statistics): number =>
  Math.ceil((Date.parse(to) - Date.parse(from)) / HOUR_MS);

function factsOf(statistics: Statistics, webhookId: string | undefined): readonly Fact[] {
  const { total, waiting, held, last_attempt: last } = statistics;
  const { success_rate: rate, latency_ms: latency } = total;
  const duration = (ms: number | null) => (ms === null ? '–' : durationWords(ms));
  return [
    { term: 'Success rate', value: rate === null ? '–' : percentWords(rate) },
    { term: 'Response time, p50', value: duration(latency.p50) },
    { term: 'Response time, p95', value: duration(latency.p95) },
    {
      term: 'Waiting',
      value: <UnsentLink webhookId={webhookId} status="waiting" count={waiting} />,
    },
    { term: 'Held', value: <UnsentLink webhookId={webhookId} status="held" count={held} /> },
    ...(total.filtered > 0
      ? [{ term: 'Dropped by filter', value: total.filtered.toLocaleString('en') }]
      : []),
    lastFact(last),
  ];
}

/** Names the last request by its result: a delivery when it was accepted, otherwise an attempt. */
function lastFact(last: Statistics['last_attempt']): Fact {
  if (last === null) return { term: 'Last delivery', value: 'None' };
  const { webhook_id: webhookId, delivery_id: deliveryId, at, result } = last;
  const link = (
    <LinkAnchor
      to="/webhooks/$webhookId/deliveries/$deliveryId"
      params={{ webhookId, deliveryId }}
      inherit
    >
      <RelativeTime at={at} />
    </LinkAnchor>
  );
  if (result === 'succeeded') return { term: 'Last delivery', value: link };
  const value = (
    <>
      {link}: {resultWords(result).short}
    </>
  );
  return { term: 'Last attempt', value };
}

/** Returns the state of the webhook's circuit; without a webhook, how many circuits are open. */
function useCircuits(webhook: Webhook | undefined): readonly Fact[] {
  const all = useAllWebhooks(webhook === undefined);
  if (webhook) return [{ term: 'Circuit', value: circuitWords(webhook) }];
  if (!all) return [];
  const open = all.filter(({ circuit }) => circuit !== undefined).length;
  return [{ term: 'Open circuits', value: open === 0 ? 'None' : `${open} of ${all.length}` }];
}

function circuitWords({ circuit }: Webhook): string {
  if (!circuit) return 'Closed';
  return circuit.state === 'open' ? 'Open (resting)' : 'Half-open (testing)';
}
