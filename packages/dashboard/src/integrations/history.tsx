import { Skeleton, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { HistoryItem } from '../api/types.js';
import { wordsFor } from '../ui/form-problem.js';
import { LoadMore } from '../ui/load-more.js';
import { RelativeTime } from '../ui/relative-time.js';
import { Quiet } from '../ui/text.js';
import { actorWords, toneOf } from './history-words.js';
import { historyQuery } from './integration-queries.js';
import classes from './integrations.module.css';

/** The history of a connection, newest first: who did what, when and why. */
export function History({ integrationId }: { readonly integrationId: string }) {
  const { data, error, ...more } = useInfiniteQuery(historyQuery(integrationId));
  if (error && !data) return <Text size="sm">{wordsFor(error)}</Text>;
  const items = data?.pages.flatMap((page) => page.items);
  if (!items) return <Loading />;
  if (items.length === 0) {
    return (
      <Quiet>
        Nothing has happened yet. You will see here when it is connected, renewed or disconnected.
      </Quiet>
    );
  }
  return (
    <Stack gap="md">
      <ol className={classes['history']}>
        {items.map((item) => (
          <Item key={`${item.at} ${item.type}`} item={item} />
        ))}
      </ol>
      <LoadMore
        hasMore={more.hasNextPage}
        loading={more.isFetchingNextPage}
        onMore={() => void more.fetchNextPage()}
      />
    </Stack>
  );
}

function Item({ item: { type, at, actor, detail } }: { readonly item: HistoryItem }) {
  return (
    <li data-tone={toneOf(type)}>
      <div>{detail}</div>
      <div className={classes['when']}>
        <RelativeTime at={at} />, {actorWords(actor)}
      </div>
    </li>
  );
}

const Loading = () => (
  <Stack gap="sm" aria-busy="true">
    <Skeleton h={52} />
    <Skeleton h={52} />
  </Stack>
);
