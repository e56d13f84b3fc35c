import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Webhook } from '../api/types.js';
import { useAllWebhooks } from '../model/all-webhooks.js';
import { resultWords } from '../model/result-words.js';
import { type Fact, Facts } from '../ui/facts.js';
import { wordsFor } from '../ui/form-problem.js';
import { LinkAnchor } from '../ui/links.js';
import { RelativeTime } from '../ui/relative-time.js';
import { durationWords } from '../ui/relative-words.js';
import classes from './numbers.module.css';
import { statisticsQuery } from './statistics-queries.js';
import { percentWords, type Statistics } from './steps.js';
import { UnsentLink } from './unsent-link.js';

/**
 * The last day in one line, which scrolls on a phone, by keyboard too: of one webhook, or of all. An account without
 * webhooks has no numbers.
 */
export function NumbersPanel({ webhook }: { readonly webhook?: Webhook }) {
  const { data, error } = useQuery(statisticsQuery(webhook?.webhook_id, '24h'));
  const all = useAllWebhooks(webhook === undefined);
  if (all?.length === 0) return null;
  if (error && !data) return <Text role="alert">{wordsFor(error)}</Text>;
  return (
    <section className={classes['numbers']} aria-label="Last 24 hours" tabIndex={0}>
      {data ? (
        <Facts facts={[...factsOf(data, webhook?.webhook_id), ...restingOf(all ?? [])]} />
      ) : (
        <Skeleton h={24} />
      )}
    </section>
  );
}

function factsOf(statistics: Statistics, webhookId: string | undefined): readonly Fact[] {
  const { total, waiting, held, last_attempt: last } = statistics;
  const { success_rate: rate, latency_ms: latency } = total;
  const duration = (ms: number | null) => (ms === null ? '–' : durationWords(ms));
  return [
    { term: 'Success rate', value: rate === null ? '–' : percentWords(rate) },
    { term: 'Typical', value: duration(latency.p50) },
    { term: 'Slowest 5 %', value: duration(latency.p95) },
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

/** Says how many of all webhooks rest after failures: the page of one says that in a sentence. */
function restingOf(all: readonly Webhook[]): readonly Fact[] {
  const resting = all.filter(({ circuit }) => circuit !== undefined).length;
  return all.length === 0 ? [] : [{ term: 'Resting', value: resting === 0 ? 'None' : resting }];
}
