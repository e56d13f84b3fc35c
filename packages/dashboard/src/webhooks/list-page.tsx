import { Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useLiveQueries } from '../deliveries/live.js';
import { Checklist } from '../start/checklist.js';
import { DashboardOnly } from '../ui/dashboard-only.js';
import { EmptyState } from '../ui/empty-state.js';
import { IconPlus, IconWebhook } from '../ui/icons.js';
import { LinkButton } from '../ui/links.js';
import { LoadMore } from '../ui/load-more.js';
import { LoadProblem } from '../ui/load-problem.js';
import { PageTitle } from '../ui/text.js';
import { useTitle } from '../ui/use-title.js';
import { WebhookCard } from './webhook-card.js';
import { webhooksQuery } from './webhook-queries.js';
import classes from './webhooks.module.css';

export function WebhooksPage() {
  useTitle('Webhooks');
  useLiveQueries();
  const { data, error, refetch, ...more } = useInfiniteQuery(webhooksQuery);
  if (error && !data) return <LoadProblem error={error} again={() => void refetch()} />;
  const webhooks = data?.pages.flatMap(({ items }) => {
    const pageIds = items.map(({ webhook_id: webhookId }) => webhookId);
    return items.map((webhook) => ({ webhook, pageIds }));
  });

  return (
    <Stack gap="lg">
      <Group justify="space-between" align="end">
        <div>
          <PageTitle>Webhooks</PageTitle>
          <Text c="var(--text-quiet)">Send events to your own applications as they happen.</Text>
        </div>
        {webhooks && webhooks.length > 0 && <AddButton />}
      </Group>
      <DashboardOnly>
        <Checklist />
      </DashboardOnly>
      {!webhooks && <LoadingCards />}
      {webhooks?.length === 0 && <NoWebhooks />}
      {webhooks && webhooks.length > 0 && (
        <ul className={classes['list']}>
          {webhooks.map(({ webhook, pageIds }) => (
            <WebhookCard key={webhook.webhook_id} webhook={webhook} pageIds={pageIds} />
          ))}
        </ul>
      )}
      <LoadMore
        hasMore={more.hasNextPage}
        loading={more.isFetchingNextPage}
        onMore={() => void more.fetchNextPage()}
      />
    </Stack>
  );
}

const AddButton = () => (
  <LinkButton to="/webhooks/new" leftSection={<IconPlus size={18} aria-hidden />}>
    Add webhook
  </LinkButton>
);

const NoWebhooks = () => (
  <EmptyState
    icon={<IconWebhook size={28} stroke={1.6} aria-hidden />}
    title="No webhooks yet"
    action={<AddButton />}
  >
    A webhook is an HTTPS address of yours that we call when something happens: your inbox was
    organized, a draft is ready, a meeting was joined. Choose the kinds of events, verify our
    signature with your secret, and see every delivery here. Failures are retried for about three
    days.
  </EmptyState>
);

const LoadingCards = () => (
  <Stack aria-busy="true">
    <VisuallyHidden role="status">Loading …</VisuallyHidden>
    {[1, 2, 3].map((key) => (
      <Skeleton key={key} h={132} radius="lg" />
    ))}
  </Stack>
);
