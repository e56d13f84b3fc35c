import { Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Webhook } from '../api/types.js';
import { wordsFor } from '../ui/form-problem.js';
import { LoadMore } from '../ui/load-more.js';
import classes from './deliveries.module.css';
import { deliveriesQuery } from './delivery-queries.js';
import { DeliveryTable } from './delivery-table.js';
import { FilterBar } from './filter-bar.js';
import { NoDeliveries } from './no-deliveries.js';

const route = getRouteApi('/inside/webhooks/$webhookId');

/** What was sent to a webhook, newest first; it follows what happens while one looks at it. */
export function DeliveriesSection({ webhook }: { readonly webhook: Webhook }) {
  const filter = route.useSearch();
  const section = useScrollOnArrival();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } =
    useInfiniteQuery(deliveriesQuery(webhook.webhook_id, filter));
  const deliveries = data?.pages.flatMap(({ items }) => items);
  const isFiltered = filter.status !== undefined || filter.kind !== undefined;
  const isEmpty = deliveries?.length === 0;

  return (
    <Stack
      component="section"
      gap="md"
      className={classes['section'] ?? ''}
      ref={section}
      aria-labelledby="deliveries-title"
    >
      <div>
        <Title order={2} size="h3" id="deliveries-title">
          Deliveries
        </Title>
        <Text size="sm" c="var(--text-quiet)" role="status">
          {deliveries && !isEmpty && countInWords(deliveries.length, hasNextPage, isFiltered)}
        </Text>
      </div>
      {(isFiltered || !isEmpty) && <FilterBar filter={filter} />}
      {error && !deliveries && <Text role="alert">{wordsFor(error)}</Text>}
      {!deliveries && !error && <LoadingRows />}
      {isEmpty && <NoDeliveries webhook={webhook} isFiltered={isFiltered} />}
      {deliveries && !isEmpty && (
        <DeliveryTable deliveries={deliveries} isStale={isPlaceholderData} />
      )}
      <LoadMore
        hasMore={hasNextPage}
        loading={isFetchingNextPage}
        onMore={() => void fetchNextPage()}
      />
    </Stack>
  );
}

/** The page's own scrolling comes too early: what the address names is not there before it is loaded. */
function useScrollOnArrival() {
  const section = useRef<HTMLDivElement>(null);
  const { hash } = useLocation();
  useEffect(() => {
    if (hash === 'deliveries') section.current?.scrollIntoView();
  }, [hash]);
  return section;
}

function countInWords(count: number, hasMore: boolean, isFiltered: boolean): string {
  const noun = count === 1 ? 'delivery' : 'deliveries';
  const matching = isFiltered ? ` that ${count === 1 ? 'matches' : 'match'} the filter` : '';
  return hasMore
    ? `The newest ${count} ${noun}${matching}; there are more.`
    : `${count} ${noun}${matching}.`;
}

const LoadingRows = () => (
  <Stack gap="xs" aria-busy="true">
    <VisuallyHidden role="status">Loading …</VisuallyHidden>
    {[1, 2, 3, 4].map((key) => (
      <Skeleton key={key} h={52} />
    ))}
  </Stack>
);
