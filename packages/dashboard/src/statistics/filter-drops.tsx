import { useQuery } from '@tanstack/react-query';
import type { Webhook } from '../api/types.js';
import { LinkAnchor } from '../ui/links.js';
import { eventsInWords } from '../webhooks/replay/replay-queries.js';
import { statisticsQuery } from './statistics-queries.js';

export interface FilterDropsProps {
  readonly webhook: Pick<Webhook, 'webhook_id'>;
  /** Hours to look back, the current one included. */
  readonly hours: number;
}

/** Explains a webhook that gets nothing by the filter that drops its events. Renders nothing while none is dropped. */
export function FilterDrops({ webhook: { webhook_id: webhookId }, hours }: FilterDropsProps) {
  const { data } = useQuery(statisticsQuery(webhookId, hours));
  const count = data?.total.filtered ?? 0;
  if (count === 0) return null;
  return (
    <>
      The filter dropped {eventsInWords({ count, count_is_exact: true })} in the last {hours} hours.{' '}
      <LinkAnchor to="/webhooks/$webhookId/edit" params={{ webhookId }} inherit>
        Change the filter
      </LinkAnchor>
      .
    </>
  );
}
