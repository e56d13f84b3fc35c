import { Button } from '@mantine/core';

export interface LoadMoreProps {
  readonly hasMore: boolean;
  readonly loading: boolean;
  readonly onMore: () => void;
}

export function LoadMore({ hasMore, loading, onMore }: LoadMoreProps) {
  if (!hasMore) return null;
  return (
    <Button variant="default" mx="auto" loading={loading} onClick={onMore}>
      Load more
    </Button>
  );
}
