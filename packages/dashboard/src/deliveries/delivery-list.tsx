import { Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { wordsFor } from '../ui/form-problem.js';
import { LoadMore } from '../ui/load-more.js';
import { exactWords } from '../ui/relative-words.js';
import { Quiet } from '../ui/text.js';
import { deliveriesQuery } from './delivery-queries.js';
import { DeliveryTable } from './delivery-table.js';
import type { DeliveryFilter } from './filter.js';
import { ClearFilter, FilterBar } from './filter-bar.js';
import { useLiveQueries } from './live.js';
import { NoMatch } from './no-match.js';

export interface DeliveryListProps {
  /** The filter as it stands in the page's address. */
  readonly filter: DeliveryFilter;
  /** The webhook whose deliveries are listed; absent: those of all webhooks. */
  readonly webhookId?: string;
  /** URL of each webhook; given when the list covers all webhooks. */
  readonly urls?: ReadonlyMap<string, string> | undefined;
  /** Stands in place of the list while there are no deliveries at all. */
  readonly empty: ReactNode;
}

/** Deliveries, newest first. The list is updated live. */
export function DeliveryList({ filter, webhookId, urls, empty }: DeliveryListProps) {
  useLiveQueries();
  const { data, error, isPlaceholderData, ...more } = useInfiniteQuery(
    deliveriesQuery({ ...filter, ...(webhookId && { webhook_id: webhookId }) }),
  );
  const found = data?.pages.flatMap(({ items }) => items);
  // Nothing by the filter before says nothing of this one, which is still asked for.
  const deliveries = isPlaceholderData && found?.length === 0 ? undefined : found;
  const searchedBackTo = data?.pages.at(-1)?.searched_back_to ?? null;
  const isFiltered = Object.keys(filter).length > 0;
  const isEmpty = deliveries?.length === 0;

  return (
    <>
      {(isFiltered || !isEmpty) && <FilterBar filter={filter} urls={urls} />}
      <Group justify="space-between" mih={isEmpty ? 0 : 30}>
        <Quiet role="status">
          {deliveries && !isEmpty && countInWords(deliveries.length, searchedBackTo, isFiltered)}
        </Quiet>
        {isFiltered && !isEmpty && <ClearFilter />}
      </Group>
      {error && !deliveries && <Text role="alert">{wordsFor(error)}</Text>}
      {!deliveries && !error && <LoadingRows />}
      {isEmpty && (isFiltered ? <NoMatch searchedBackTo={searchedBackTo} /> : empty)}
      {deliveries && !isEmpty && (
        <DeliveryTable deliveries={deliveries} urls={urls} isStale={isPlaceholderData} />
      )}
      {more.isFetchNextPageError && <Text role="alert">{wordsFor(error)}</Text>}
      <LoadMore
        hasMore={more.hasNextPage}
        loading={more.isFetchingNextPage}
        onMore={() => void more.fetchNextPage()}
        label={isFiltered ? 'Look further back' : undefined}
      />
    </>
  );
}

function countInWords(count: number, searchedBackTo: string | null, isFiltered: boolean): string {
  const noun = count === 1 ? 'delivery' : 'deliveries';
  const matching = isFiltered ? ` that ${count === 1 ? 'matches' : 'match'} the filter` : '';
  if (searchedBackTo === null) return `${count} ${noun}${matching}.`;
  const more = isFiltered
    ? `looked back to ${exactWords(new Date(searchedBackTo))}`
    : 'there are more';
  return `The newest ${count} ${noun}${matching}; ${more}.`;
}

const LoadingRows = () => (
  <Stack gap="xs" aria-busy="true">
    <VisuallyHidden role="status">Loading …</VisuallyHidden>
    {[1, 2, 3, 4].map((key) => (
      <Skeleton key={key} h={52} />
    ))}
  </Stack>
);
