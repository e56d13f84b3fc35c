import { Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Webhook } from '../api/types.js';
import { useAllWebhooks } from '../deliveries/all-webhooks.js';
import { lastDeliveryQuery } from '../deliveries/delivery-queries.js';
import { type Fact, Facts } from '../ui/facts.js';
import { wordsFor } from '../ui/form-problem.js';
import { LinkAnchor } from '../ui/links.js';
import { Panel } from '../ui/panel.js';
import { RelativeTime } from '../ui/relative-time.js';
import { durationWords } from '../ui/relative-words.js';
import { PanelTitle, Quiet } from '../ui/text.js';
import { Chart } from './chart.js';
import type { Statistics } from './hours.js';
import { everyHour, percentWords } from './hours.js';
import { HoursTable } from './hours-table.js';
import classes from './statistics.module.css';
import { statisticsQuery } from './statistics-queries.js';

const SPANS = [
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
];
const WAITING_MAX = 10_000;

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
        {data && <Numbers statistics={data} webhook={webhook} />}
      </Stack>
    </Panel>
  );
}

interface NumbersProps {
  readonly statistics: Statistics;
  readonly webhook: Webhook | undefined;
}

function Numbers({ statistics, webhook }: NumbersProps) {
  const { data: last } = useQuery(lastDeliveryQuery(webhook?.webhook_id));
  const { attempts, succeeded, failed } = statistics.total;
  const hours = everyHour(statistics, hoursIn(statistics));
  const circuits = useCircuits(webhook);
  return (
    <>
      <div className={classes['numbers']}>
        <Facts facts={[...factsOf(statistics, last), ...circuits]} />
      </div>
      {attempts === 0 ? (
        <Quiet>No attempts in this period.</Quiet>
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

function factsOf(
  { total, waiting }: Statistics,
  last: { webhook_id: string; delivery_id: string; created_at: string } | null | undefined,
): readonly Fact[] {
  const { success_rate: rate, latency_ms: latency } = total;
  const duration = (ms: number | null) => (ms === null ? '–' : durationWords(ms));
  return [
    { term: 'Success rate', value: rate === null ? '–' : percentWords(rate) },
    { term: 'Response time, p50', value: duration(latency.p50) },
    { term: 'Response time, p95', value: duration(latency.p95) },
    {
      term: 'Waiting',
      value: waiting < WAITING_MAX ? waiting : `${WAITING_MAX.toLocaleString('en')} or more`,
    },
    { term: 'Last delivery', value: last ? <Last delivery={last} /> : 'None yet' },
  ];
}

const Last = ({
  delivery: { webhook_id: webhookId, delivery_id: deliveryId, created_at: at },
}: {
  readonly delivery: { webhook_id: string; delivery_id: string; created_at: string };
}) => (
  <LinkAnchor
    to="/webhooks/$webhookId/deliveries/$deliveryId"
    params={{ webhookId, deliveryId }}
    size="sm"
  >
    <RelativeTime at={at} />
  </LinkAnchor>
);

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
