import { IconFilterOff } from '@tabler/icons-react';
import { EmptyState } from '../ui/empty-state.js';
import { ClearFilter } from './filter-bar.js';

/** `hasMore`: the API looks at some thousands at a time, and leads on when none of them fits. */
export const NoMatch = ({ hasMore }: { readonly hasMore: boolean }) => (
  <EmptyState
    icon={<IconFilterOff size={28} stroke={1.6} aria-hidden />}
    title="No matches"
    action={<ClearFilter />}
  >
    {hasMore
      ? 'None of the newest deliveries match this filter. Load more to look further back.'
      : 'No deliveries match this filter.'}
  </EmptyState>
);
