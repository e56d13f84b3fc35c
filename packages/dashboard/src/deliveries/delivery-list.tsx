import { Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { wordsFor } from '../ui/form-problem.js';
import { LoadMore } from '../ui/load-more.js';
import { LoadProblem } from '../ui/load-problem.js';
import { exactWords } from '../ui/relative-words.js';
import { Quiet } from '../ui/text.js';
import classes from './deliveries.module.css';
import { DeliveryBeside } from './delivery-beside.js';
import { deliveriesQuery } from './delivery-queries.js';
import { DeliveryTable } from './delivery-table.js';
import { ExportList } from './export-list.js';
import { type DeliveryFilter, isFiltering, type ListView } from './filter.js';
import { ByEvent, ClearFilter, FilterBar } from './filter-bar.js';
import { useLiveQueries } from './live.js';
import { NoMatch } from './no-match.js';
import { Newest, Older, ROWS_MAX } from './older.js';
import { ResendBar } from './resend-bar.js';
import { useChoice } from './use-choice.js';

export interface DeliveryListProps {
  /** The filter as it stands in the page's address. */
  readonly filter: DeliveryFilter;
  /** The webhook whose deliveries are listed; absent: those of all webhooks. */
  readonly webhookId?: string;
  /** URL of each webhook; given when the list covers all webhooks. */
  readonly urls?: ReadonlyMap<string, string> | undefined;
  /** The delivery that stands beside the list, as the page's address has it. */
  readonly open?: ListView['open'];
  readonly by?: ListView['by'];
  /** Stands at the end of the line that counts. */
  readonly tools?: ReactNode;
  /** Stands in place of the list while there are no deliveries at all. */
  readonly empty: ReactNode;
}

/** Deliveries, newest first. The list is updated live. */
export function DeliveryList({
  filter,
  webhookId,
  urls,
  open,
  by,
  tools,
  empty,
}: DeliveryListProps) {
  useLiveQueries();
  const choice = useChoice();
  const listed = { ...filter, ...(webhookId && { webhook_id: webhookId }) };
  const { data, error, hasNextPage, fetchNextPage, isPlaceholderData, ...next } = useInfiniteQuery(
    deliveriesQuery(listed),
  );
  const { isFetchingNextPage, isFetchNextPageError } = next;
  const found = data?.pages.flatMap(({ items }) => items);
  // Nothing by the filter before says nothing of this one, which is still asked for.
  const deliveries = isPlaceholderData && found?.length === 0 ? undefined : found;
  const searchedBackTo = data?.pages.at(-1)?.searched_back_to ?? null;
  const isFiltered = isFiltering(filter);
  const isEmpty = deliveries?.length === 0;

  const cursor = data?.pages.at(-1)?.next_cursor;
  const isFull = deliveries !== undefined && deliveries.length >= ROWS_MAX;
  const more = isFull ? (
    cursor && <Older cursor={cursor} />
  ) : (
    <LoadMore
      hasMore={hasNextPage}
      loading={isFetchingNextPage}
      onMore={() => void fetchNextPage()}
      label={isFiltered ? 'Look further back' : undefined}
      // A text is looked for in what was sent, which takes seconds for a page: it goes on when it is asked to.
      isAuto={filter.text === undefined && !isFetchNextPageError}
    />
  );

  return (
    <>
      {(isFiltered || !isEmpty) && <FilterBar filter={filter} urls={urls} />}
      <Group justify="space-between" mih={isEmpty ? 0 : 24}>
        <Quiet role="status">
          {deliveries && !isEmpty && countInWords(deliveries.length, searchedBackTo, filter)}
        </Quiet>
        <Group gap="xs">
          {filter.cursor && <Newest />}
          {isFiltered && !isEmpty && <ClearFilter />}
          {!isEmpty && filter.text === undefined && <ExportList filter={listed} />}
          {urls && !isEmpty && <ByEvent isOn={by === 'event'} />}
          {tools}
        </Group>
      </Group>
      {error && !deliveries && (
        <div role="alert">
          <LoadProblem error={error} again={() => void next.refetch()} />
        </div>
      )}
      {!deliveries && !error && <LoadingRows />}
      {isEmpty && isFiltered && <NoMatch searchedBackTo={searchedBackTo} />}
      {isEmpty && !isFiltered && (filter.cursor ? <Quiet>Nothing older is kept.</Quiet> : empty)}
      {deliveries && !isEmpty && (
        <div className={classes['beside']} data-beside={open !== undefined || undefined}>
          <Stack gap="sm" miw={0}>
            <DeliveryTable
              deliveries={deliveries}
              urls={urls}
              isStale={isPlaceholderData}
              choice={choice}
              open={open ?? null}
              isGrouped={by === 'event'}
            />
            <ResendBar deliveries={deliveries} choice={choice} />
            {more}
          </Stack>
          {open !== undefined && <DeliveryBeside open={open} deliveries={deliveries} />}
        </div>
      )}
      {isFetchNextPageError && <Text role="alert">{wordsFor(error)}</Text>}
      {isEmpty && more}
    </>
  );
}

function countInWords(
  count: number,
  searchedBackTo: string | null,
  filter: DeliveryFilter,
): string {
  const isFiltered = isFiltering(filter);
  const noun = `${filter.cursor ? 'older ' : ''}${count === 1 ? 'delivery' : 'deliveries'}`;
  const matching = isFiltered ? ` that ${count === 1 ? 'matches' : 'match'} the filter` : '';
  if (searchedBackTo === null) return `${count} ${noun}${matching}.`;
  const more = isFiltered
    ? `looked back to ${exactWords(new Date(searchedBackTo))}`
    : 'there are more';
  return `${filter.cursor ? '' : 'The newest '}${count} ${noun}${matching}; ${more}.`;
}

const LoadingRows = () => (
  <Stack gap="xs" aria-busy="true">
    <VisuallyHidden role="status">Loading …</VisuallyHidden>
    {[1, 2, 3, 4].map((key) => (
      <Skeleton key={key} h={32} />
    ))}
  </Stack>
);
