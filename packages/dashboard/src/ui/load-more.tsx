import { Button } from '@mantine/core';

export interface LoadMoreProps {
  readonly hasMore: boolean;
  readonly loading: boolean;
  readonly onMore: () => void;
  /** Label of the button; absent: `Load more`. */
  readonly label?: string | undefined;
}

export function LoadMore({ hasMore, loading, onMore, label = 'Load more' }: LoadMoreProps) {
  if (!hasMore) return null;
  return (
    <Button variant="default" mx="auto" loading={loading} onClick={onMore}>
      {label}
    </Button>
  );
}
