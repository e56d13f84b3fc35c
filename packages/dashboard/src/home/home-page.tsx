import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLiveQueries } from '../deliveries/live.js';
import { latestEventsQuery } from '../model/event-queries.js';
import { integrationsQuery } from '../model/integrations-query.js';
import { webhooksQuery } from '../model/webhook-queries.js';
import { statisticsQuery } from '../statistics/statistics-queries.js';
import { LoadProblem } from '../ui/load-problem.js';
import { PageTitle } from '../ui/text.js';
import { useTitle } from '../ui/use-title.js';
import { Checklist } from './checklist.js';
import { DayNumbers } from './day-numbers.js';
import { LatestEvents } from './latest-events.js';
import { NeedsYou } from './needs-you.js';

/** The first page: the problems that need the user, the last day in numbers, and the latest events. */
export function HomePage() {
  useTitle('Home');
  useLiveQueries();
  const webhooks = useQuery(webhooksQuery);
  const integrations = useQuery(integrationsQuery);
  const numbers = useQuery(statisticsQuery(undefined, '24h'));
  const events = useQuery(latestEventsQuery);
  const failed = [webhooks, integrations].find(({ error, data }) => error && !data);
  if (failed) return <LoadProblem error={failed.error} again={() => void failed.refetch()} />;
  // A part that came later would push those below it away.
  const hasLoaded = !numbers.isPending && !events.isPending && webhooks.data && integrations.data;
  return (
    <Stack gap="lg">
      <PageTitle>Home</PageTitle>
      {hasLoaded ? (
        <>
          <NeedsYou webhooks={webhooks.data} integrations={integrations.data} />
          <Checklist />
          {webhooks.data.length > 0 && <DayNumbers />}
          <LatestEvents />
        </>
      ) : (
        <Skeleton h={140} />
      )}
    </Stack>
  );
}
