import { useQuery } from '@tanstack/react-query';
import type { Webhook } from '../api/types.js';
import { eventsInWords } from '../model/event-queries.js';
import { LinkAnchor } from '../ui/links.js';
import { statisticsQuery } from './statistics-queries.js';

/** Explains a webhook that gets nothing by the filter that drops its events. Renders nothing while none is dropped. */
export function FilterDrops({
  webhook: { webhook_id: webhookId },
}: {
  readonly webhook: Pick<Webhook, 'webhook_id'>;
}) {
  const { data } = useQuery(statisticsQuery(webhookId, '24h'));
  const count = data?.total.filtered ?? 0;
  if (count === 0) return null;
  return (
    <>
      The filter dropped {eventsInWords({ count, count_is_exact: true })} in the last 24 hours.{' '}
      <LinkAnchor
        to="/webhooks/$webhookId"
        params={{ webhookId }}
        search={{ tab: 'settings' }}
        inherit
      >
        Change the filter
      </LinkAnchor>
      .
    </>
  );
}
