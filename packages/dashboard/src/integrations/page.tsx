import { Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import type { Integration } from '../api/types.js';
import { LoadProblem } from '../ui/load-problem.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/panel.js';
import { useTitle } from '../ui/use-title.js';
import { IntegrationCard } from './integration-card.js';
import { integrationsQuery } from './integration-queries.js';
import classes from './integrations.module.css';
import { PROVIDERS } from './providers.js';

export function IntegrationsPage() {
  useTitle('Integrations');
  const { data: integrations, error, refetch } = useQuery(integrationsQuery);
  const { notice, tell } = useNotice(integrations);
  if (error && !integrations) return <LoadProblem error={error} again={() => void refetch()} />;

  return (
    <Stack gap="lg">
      <div>
        <Title order={1} size="h2">
          Integrations
        </Title>
        <Text c="var(--text-quiet)">
          The accounts that the assistant works with. You sign in at your provider; we never see
          your password.
        </Text>
        <Notice onClose={() => tell(undefined)}>{notice}</Notice>
      </div>
      <div className={classes['cards']}>
        {PROVIDERS.map((words, index) => {
          const integration = integrations?.[index];
          return integration ? (
            <IntegrationCard
              key={words.provider}
              words={words}
              integration={integration}
              onDone={tell}
            />
          ) : (
            <LoadingCard key={words.provider} rows={words.scopes.length} />
          );
        })}
      </div>
    </Stack>
  );
}

/** What was done is told until something else becomes of it; it may have been done on the page before. */
function useNotice(integrations: readonly Integration[] | undefined) {
  const queries = useQueryClient();
  const { state } = useLocation();
  const noted = (notice: string | undefined) => ({
    notice,
    statuses: statusesOf(queries.getQueryData(integrationsQuery.queryKey)),
  });
  const [told, setTold] = useState(() => noted(state.notice));
  return {
    notice: told.statuses === statusesOf(integrations) ? told.notice : undefined,
    tell: (notice: string | undefined) => setTold(noted(notice)),
  };
}

const statusesOf = (integrations: readonly Integration[] | undefined): string | undefined =>
  integrations?.map(({ status }) => status).join();

/** As high as the card will be, so that nothing jumps. */
const LoadingCard = ({ rows }: { readonly rows: number }) => (
  <Panel className={classes['card'] ?? ''} aria-busy="true">
    <VisuallyHidden role="status">Loading …</VisuallyHidden>
    <div className={classes['head']}>
      <Skeleton w={44} h={44} />
      <Skeleton w={120} h={22} />
    </div>
    <Skeleton h={20} w="80%" />
    <Skeleton w={110} h={16} />
    {Array.from({ length: rows }, (_, row) => (
      <Skeleton key={row} h={38} />
    ))}
    <Skeleton h={36} w={150} />
  </Panel>
);
