import { LinkButton } from '../ui/links.js';

/**
 * Rows of a list at most, which a phone draws within a second: older deliveries get a list of their own. One list of
 * 3,500 rows took three minutes to scroll through, each page longer than the one before.
 */
export const ROWS_MAX = 200;

/** Leads to the deliveries behind the last one that is shown; going back leads to where one was. */
export const Older = ({ cursor }: { readonly cursor: string }) => (
  <LinkButton
    to="."
    search={(search) => ({ ...search, cursor, open: undefined })}
    variant="default"
    mx="auto"
  >
    Older deliveries
  </LinkButton>
);

export const Newest = () => (
  <LinkButton
    to="."
    search={(search) => ({ ...search, cursor: undefined, open: undefined })}
    variant="subtle"
    size="xs"
  >
    Newest deliveries
  </LinkButton>
);
