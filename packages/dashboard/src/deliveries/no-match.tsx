import { EmptyState } from '../ui/empty-state.js';
import { IconFilterOff } from '../ui/icons.js';
import { exactWords } from '../ui/relative-words.js';
import { ClearFilter } from './filter-bar.js';

/** `searchedBackTo`: the API looks for some seconds, and says how far that took it; null: it has looked at all. */
export const NoMatch = ({ searchedBackTo }: { readonly searchedBackTo: string | null }) => (
  <EmptyState
    icon={<IconFilterOff size={28} stroke={1.6} aria-hidden />}
    title={searchedBackTo === null ? 'No matches' : 'Nothing found so far'}
    action={<ClearFilter variant="default" size="sm" />}
  >
    {searchedBackTo === null
      ? 'No deliveries match this filter.'
      : `None since ${exactWords(new Date(searchedBackTo))} match this filter. There are older ones to look at.`}
  </EmptyState>
);
