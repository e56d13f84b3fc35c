import { LinkAnchor } from '../ui/links.js';

/** Bound to which the API counts. */
const COUNTED_MAX = 10_000;

export interface UnsentLinkProps {
  /** The webhook that is counted for; absent: all of them. */
  readonly webhookId: string | undefined;
  readonly status: 'waiting' | 'held';
  readonly count: number;
  /** Word behind the number, where nothing else says what is counted. */
  readonly word?: string;
}

/** How many deliveries wait or are held, as a link to the list of them. */
export function UnsentLink({ webhookId, status, count, word = '' }: UnsentLinkProps) {
  const words = `${count.toLocaleString('en')}${count < COUNTED_MAX ? '' : ' or more'} ${word}`;
  if (count === 0) return 'None';
  return webhookId === undefined ? (
    <LinkAnchor to="/deliveries" search={{ status }} hash="deliveries" inherit>
      {words.trim()}
    </LinkAnchor>
  ) : (
    <LinkAnchor
      to="/webhooks/$webhookId"
      params={{ webhookId }}
      search={{ status }}
      hash="deliveries"
      inherit
    >
      {words.trim()}
    </LinkAnchor>
  );
}
