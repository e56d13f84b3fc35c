import { Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import type { Integration } from '../api/types.js';
import { integrationsQuery } from '../model/integrations-query.js';
import { LoadProblem } from '../ui/load-problem.js';
import { Notice } from '../ui/notice.js';
import { Panel } from '../ui/panel.js';
import { PageTitle, PanelTitle } from '../ui/text.js';
import { useTitle } from '../ui/use-title.js';
import { identityProvidersQuery, useLiveIntegrations } from './integration-queries.js';
import classes from './integrations.module.css';
import { KindHead, KindSection } from './kind-section.js';
import { KINDS, type KindWords } from './kinds.js';

export function IntegrationsPage() {
  useTitle('Integrations');
  useLiveIntegrations();
  const integrations = useQuery(integrationsQuery);
  const identityProviders = useQuery(identityProvidersQuery);
  const { notice, tell } = useNotice(integrations.data);
  const failed = [integrations, identityProviders].find(({ error, data }) => error && !data);
  if (failed) return <LoadProblem error={failed.error} again={() => void failed.refetch()} />;

  return (
    <Stack gap="lg">
      <div>
        <PageTitle>Integrations</PageTitle>
        <Text c="var(--text-quiet)">
          The accounts your assistant works with. You sign in at your provider, so we never see your
          password.
        </Text>
        <Notice onClose={() => tell(undefined)}>{notice}</Notice>
      </div>
      <div className={classes['kinds']}>
        {KINDS.map((words) =>
          integrations.data && identityProviders.data ? (
            <KindSection
              key={words.provider}
              words={words}
              integrations={integrations.data}
              identityProviders={identityProviders.data}
              onDone={tell}
            />
          ) : (
            <LoadingKind key={words.provider} words={words} />
          ),
        )}
      </div>
    </Stack>
  );
}

/**
 * Keeps the notice of the last action, of this page or the previous one, until the state of an integration changes.
 */
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
  integrations
    ?.map(({ integration_id: id, status }) => `${id} ${status}`)
    .sort()
    .join();

/** A placeholder as high as the section of a kind without accounts, so that nothing jumps. */
const LoadingKind = ({ words }: { readonly words: KindWords }) => (
  <div className={classes['kind']} aria-busy="true">
    <KindHead words={words}>
      <PanelTitle>{words.label}</PanelTitle>
    </KindHead>
    <Panel className={classes['card'] ?? ''}>
      <VisuallyHidden role="status">Loading …</VisuallyHidden>
      <Skeleton w={120} h={22} />
      {words.scopes.map(({ scope }) => (
        <Skeleton key={scope} h={38} />
      ))}
      <Skeleton h={36} w={150} />
    </Panel>
  </div>
);
