import { Button } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useEffect } from 'react';

export interface LoadMoreProps {
  readonly hasMore: boolean;
  readonly loading: boolean;
  readonly onMore: () => void;
  /** Label of the button; absent: `Load more`. */
  readonly label?: string | undefined;
  /** Loads by itself when the end of the list comes near, as long as this is true. */
  readonly isAuto?: boolean;
}

export function LoadMore({
  hasMore,
  loading,
  onMore,
  label = 'Load more',
  isAuto = false,
}: LoadMoreProps) {
  const { ref, entry } = useIntersection({ rootMargin: '400px' });
  const isNear = entry?.isIntersecting ?? false;
  useEffect(() => {
    if (isAuto && isNear && hasMore && !loading) onMore();
  });
  if (!hasMore) return null;
  return (
    <Button ref={ref} variant="default" mx="auto" loading={loading} onClick={onMore}>
      {label}
    </Button>
  );
}
